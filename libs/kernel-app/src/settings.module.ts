import { type DynamicModule, Global, Module } from '@nestjs/common';

/** Makes the settings of an app injectable everywhere, by their class. */
@Global()
@Module({})
export class SettingsModule {
  static with<Settings extends object>(token: abstract new () => Settings, settings: NoInfer<Settings>): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: token, useValue: Object.freeze({ ...settings }) }],
      exports: [token],
    };
  }
}
