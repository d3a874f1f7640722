export { SecretsModule } from './secrets.module.js';
export type { SecretsModuleOptions } from './secrets.options.js';

export { SecretAlias } from './secret-alias.js';
export { SecretValue } from './secret-value.js';
export { SecretsProvider, type SecretVersion } from './secrets-provider.js';

export { SigningService, type SigningRequest } from './signing/signing.service.js';
export type { SignatureHeaders } from './signing/sign-standard-webhook.js';

export {
  PostgresSecretVault,
  type NewSecret,
  type PostgresSecretVaultOptions,
  type StoredSecret,
} from './vault/postgres-secret-vault.js';
export { MasterKey } from './vault/master-key.js';
export { verifyMasterKey } from './vault/verify-master-key.js';
export { secretsEntities } from './vault/secret-vault.entities.js';

export { EnvFileSecretsProvider, type EnvFileSecretsProviderOptions } from './env/env-file-secrets-provider.js';

export {
  InvalidMasterKeyError,
  InvalidSecretAddressError,
  InvalidSecretError,
  InvalidSecretsOptionsError,
  MasterKeyMismatchError,
  SecretsError,
  SecretsUnavailableError,
  SecretUndecryptableError,
  SigningSecretNotFoundError,
} from './secrets.errors.js';
