import type { SecretValue } from './secret-value.js';

export interface SecretVersion {
  version: number;
  value: SecretValue;
  /** End of its overlap with a newer version. Default: none. */
  liveUntil?: Date;
}

/** Source of secrets. The class is its own injection token. */
export abstract class SecretsProvider {
  /**
   * Every live version, newest first. Empty means unknown, expired or revoked: callers fail closed. Throws
   * `SecretsUnavailableError` when the store cannot answer, which says nothing about the secret.
   */
  abstract liveVersions(tenantId: string, alias: string): Promise<SecretVersion[]>;
}
