import type { SecretValue } from './secret-value.js';

export interface SecretVersion {
  version: number;
  value: SecretValue;
  /** When its overlap with a newer version ends. Default: it has no end. */
  liveUntil?: Date;
}

/** The seam between whoever needs a secret and wherever it is kept. The class is its own injection token. */
export abstract class SecretsProvider {
  /**
   * Every version that is live at this moment, newest first. Empty means unknown, run out or revoked: callers fail closed.
   * Throws `SecretsUnavailableError` when the store cannot answer, which says nothing about the secret.
   */
  abstract liveVersions(tenantId: string, alias: string): Promise<SecretVersion[]>;
}
