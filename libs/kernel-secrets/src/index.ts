export { SecretsModule } from './secrets.module.js';
export { SecretsConfig, type SecretsModuleOptions } from './secrets.options.js';
export { SecretsClock } from './secrets-clock.js';

export { SecretAlias } from './secret-alias.js';
export { kindOf, kindThatSigns, type SecretKind, type SignatureScheme, type SigningKind } from './secret-kind.js';
export { SecretValue } from './secret-value.js';
export { SecretsProvider, type SecretVersion } from './secrets-provider.js';

export { publicKeyTextOf } from './signing-key-pair.js';
export { CredentialsService } from './credentials.service.js';
export { SigningService, type PublicKey, type SigningRequest } from './signing/signing.service.js';
export type { SignatureHeaders } from './signing/sign-standard-webhook.js';

export {
  PostgresSecretVault,
  type NewSecret,
  type PostgresSecretVaultOptions,
  type RotatedSecret,
  type StoredSecret,
} from './vault/postgres-secret-vault.js';
export { LastingKey } from './vault/lasting-key.js';
export { MasterKey } from './vault/master-key.js';
export { SECRET_CHANGES_CHANNEL } from './vault/secret-versions.sql.js';
export { rotateMasterKey, type MasterKeyRotation } from './vault/rotate-master-key.js';
export { verifyMasterKey } from './vault/verify-master-key.js';
export { secretsEntities } from './vault/secret-vault.entities.js';

export { EnvFileSecretsProvider, type EnvFileSecretsProviderOptions } from './env/env-file-secrets-provider.js';

export {
  CredentialNotFoundError,
  InvalidMasterKeyError,
  LastingKeyNotReadError,
  InvalidSecretAddressError,
  InvalidSecretError,
  InvalidSecretsOptionsError,
  MasterKeyMismatchError,
  SecretKindMismatchError,
  SecretsError,
  SecretsUnavailableError,
  SecretUndecryptableError,
  SigningSecretNotFoundError,
  TooManyLiveVersionsError,
} from './secrets.errors.js';
