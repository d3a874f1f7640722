import { type DynamicModule, Global, Module } from '@nestjs/common';
import { SignaturesSettings } from './signatures-settings.js';

@Global()
@Module({})
export class SettingsModule {
  static with(settings: SignaturesSettings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: SignaturesSettings, useValue: Object.freeze({ ...settings }) }],
      exports: [SignaturesSettings],
    };
  }
}
