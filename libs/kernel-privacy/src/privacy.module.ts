import { Module } from '@nestjs/common';
import { PolicyStore } from './policy/policy-store.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './privacy.module-definition.js';
import { PrivacyConfig, resolvePrivacyOptions } from './privacy.options.js';
import { RedactionService } from './redaction.service.js';

/** Needs the EntityManager of the host's `MikroOrmModule.forRoot`, with `privacyEntities` among its entities. */
@Module({
  providers: [
    { provide: PrivacyConfig, useFactory: resolvePrivacyOptions, inject: [MODULE_OPTIONS_TOKEN] },
    PolicyStore,
    RedactionService,
  ],
  exports: [PolicyStore, RedactionService],
})
export class PrivacyModule extends ConfigurableModuleClass {}
