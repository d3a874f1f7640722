import type { EntityManager } from '@mikro-orm/postgresql';
import { CachedLiveVersions, type TransactionState } from '../cached-live-versions.js';
import { findSecretAddress, parseSecretAddress, type SecretAddress } from '../secret-address.js';
import { printableAlias } from '../secret-alias.js';
import type { SecretValue } from '../secret-value.js';
import { SecretsUnavailableError } from '../secrets.errors.js';
import { SecretsProvider, type SecretVersion } from '../secrets-provider.js';
import { generateSigningSecret, parseSigningSecret } from '../signing-secret.js';
import { insertSecretVersion } from './insert-secret-version.sql.js';
import type { MasterKey } from './master-key.js';
import { revokeSecretVersion } from './revoke-secret-version.sql.js';
import { decryptSecret, encryptSecret } from './secret-cipher.js';
import { selectActiveVersions } from './select-active-versions.sql.js';
import { selectLatestVersion } from './select-latest-version.sql.js';

const MAX_VERSION = 2 ** 31 - 1;

export interface NewSecret {
  tenantId: string;
  alias: string;
  /** `whsec_` and base64 of 24 to 64 bytes. Default: made from 32 random bytes. */
  value?: string;
}

export interface StoredSecret {
  alias: string;
  version: number;
  value: SecretValue;
}

export interface PostgresSecretVaultOptions {
  /** How long decrypted versions are kept; a change by another process shows within it. Default 5000. */
  cacheTtlMs?: number;
  /** Milliseconds that never run backwards. Default `performance.now()`. */
  now?: () => number;
}

/**
 * Secrets encrypted at rest. Writers join the transaction that runs on the `em` they are handed (or in the async context)
 * and never end it; without one, each statement stands alone.
 */
export class PostgresSecretVault extends SecretsProvider {
  readonly #em: EntityManager;
  readonly #masterKey: MasterKey;
  readonly #cache: CachedLiveVersions;

  constructor(em: EntityManager, masterKey: MasterKey, { cacheTtlMs = 5000, now }: PostgresSecretVaultOptions = {}) {
    super();
    this.#em = em;
    this.#masterKey = masterKey;
    this.#cache = new CachedLiveVersions({ ttlMs: cacheTtlMs, now });
  }

  async liveVersions(tenantId: string, alias: string): Promise<SecretVersion[]> {
    const address = findSecretAddress(tenantId, alias);
    return address ? this.#cache.get(cacheKey(address), () => this.#load(address)) : [];
  }

  /** Adds the next version; the ones before it stay live until they are revoked. */
  async put(secret: NewSecret, em = this.#em): Promise<StoredSecret> {
    const address = parseSecretAddress(secret.tenantId, secret.alias);
    const value = secret.value === undefined ? generateSigningSecret() : parseSigningSecret(secret.value);
    for (;;) {
      const place = { ...address, version: (await selectLatestVersion(em, address)) + 1 };
      const ciphertext = encryptSecret(this.#masterKey, place, value);
      if (await insertSecretVersion(em, { ...place, ciphertext })) {
        this.#cache.forget(cacheKey(address), rootTransaction(em));
        return { alias: place.alias, version: place.version, value };
      }
      // Another put took the version between the two statements, so a higher one is there to be seen now.
    }
  }

  /** Whether the alias could sign: it has a version that is not revoked. */
  async exists(tenantId: string, alias: string, em = this.#em): Promise<boolean> {
    const address = findSecretAddress(tenantId, alias);
    return address !== undefined && (await selectActiveVersions(em, address)).length > 0;
  }

  /** False when there is no such version or it is revoked already. */
  async revoke(tenantId: string, alias: string, version: number, em = this.#em): Promise<boolean> {
    const address = findSecretAddress(tenantId, alias);
    if (!address || !Number.isInteger(version) || version < 1 || version > MAX_VERSION) {
      return false;
    }
    const revoked = await revokeSecretVersion(em, address, version);
    this.#cache.forget(cacheKey(address), rootTransaction(em));
    return revoked;
  }

  async #load(address: SecretAddress): Promise<SecretVersion[]> {
    // A fork reads past the caller's transaction: what is not committed must not sign, nor enter the cache.
    const rows = await selectActiveVersions(this.#em.fork(), address).catch((cause: unknown) => {
      throw new SecretsUnavailableError(
        `the vault did not answer for the secret ${printableAlias(address.alias)}: check that PostgreSQL is reachable and migrated.`,
        { cause },
      );
    });
    return rows.map(({ version, ciphertext }) => ({
      version,
      value: decryptSecret(this.#masterKey, { ...address, version }, ciphertext),
    }));
  }
}

function cacheKey({ tenantId, alias }: SecretAddress): string {
  return `${tenantId}/${alias}`;
}

/**
 * The transaction whose end makes a change visible. A savepoint never learns of its root's end, so for a change within one
 * this process is in the place of any other: it sees the change within `cacheTtlMs` of the commit.
 */
function rootTransaction(em: EntityManager): TransactionState | undefined {
  const transaction = em.getTransactionContext<TransactionState>();
  return transaction && 'savepointName' in transaction ? undefined : transaction;
}
