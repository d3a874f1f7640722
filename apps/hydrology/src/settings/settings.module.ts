import { type DynamicModule, Global, Module } from '@nestjs/common';
import { HydrologySettings } from './hydrology-settings.js';

@Global()
@Module({})
export class SettingsModule {
  static with(settings: HydrologySettings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: HydrologySettings, useValue: Object.freeze({ ...settings }) }],
      exports: [HydrologySettings],
    };
  }
}
