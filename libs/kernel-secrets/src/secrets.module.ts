import { EntityManager } from '@mikro-orm/postgresql';
import { Module } from '@nestjs/common';
import { CredentialsService } from './credentials.service.js';
import { SecretsClock } from './secrets-clock.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './secrets.module-definition.js';
import { readSecretsOptions, SecretsConfig } from './secrets.options.js';
import { SecretsProvider } from './secrets-provider.js';
import { SigningService } from './signing/signing.service.js';
import { LastingKey } from './vault/lasting-key.js';
import { MasterKey } from './vault/master-key.js';
import { PostgresSecretVault } from './vault/postgres-secret-vault.js';

/** Does not use the database during startup: the host runs `verifyMasterKey` after its migrations. */
@Module({
  providers: [
    { provide: SecretsConfig, inject: [MODULE_OPTIONS_TOKEN], useFactory: readSecretsOptions },
    { provide: MasterKey, inject: [SecretsConfig], useFactory: ({ masterKey }: SecretsConfig) => masterKey },
    {
      provide: PostgresSecretVault,
      inject: [EntityManager, SecretsConfig, SecretsClock],
      useFactory: (em: EntityManager, config: SecretsConfig, clock: SecretsClock) =>
        new PostgresSecretVault(em, config.masterKey, { ...config, clock }),
    },
    {
      provide: SecretsProvider,
      inject: [SecretsConfig, PostgresSecretVault],
      useFactory: ({ provider }: SecretsConfig, vault: PostgresSecretVault) => provider ?? vault,
    },
    SecretsClock,
    LastingKey,
    SigningService,
    CredentialsService,
  ],
  exports: [
    SecretsConfig,
    MasterKey,
    PostgresSecretVault,
    SecretsProvider,
    SecretsClock,
    LastingKey,
    SigningService,
    CredentialsService,
  ],
})
export class SecretsModule extends ConfigurableModuleClass {}
