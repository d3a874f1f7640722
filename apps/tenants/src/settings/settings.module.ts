import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TenantsSettings } from './tenants-settings.js';

@Global()
@Module({})
export class SettingsModule {
  static with(settings: TenantsSettings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: TenantsSettings, useValue: Object.freeze({ ...settings }) }],
      exports: [TenantsSettings],
    };
  }
}
