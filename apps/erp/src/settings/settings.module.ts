import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ErpSettings } from './erp-settings.js';

@Global()
@Module({})
export class SettingsModule {
  static with(settings: ErpSettings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: ErpSettings, useValue: Object.freeze({ ...settings }) }],
      exports: [ErpSettings],
    };
  }
}
