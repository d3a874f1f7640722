import type { EntityManager } from '@mikro-orm/postgresql';
import { CachedLiveVersions, type TransactionState } from '../cached-live-versions.js';
import { parseSecret } from '../parse-secret.js';
import { findSecretAddress, parseSecretAddress, type SecretAddress } from '../secret-address.js';
import { printableAlias, SecretAlias } from '../secret-alias.js';
import { kindOf, type SecretKind, type SigningKind } from '../secret-kind.js';
import type { SecretValue } from '../secret-value.js';
import { SecretsClock } from '../secrets-clock.js';
import { SecretKindMismatchError, SecretsUnavailableError, TooManyLiveVersionsError } from '../secrets.errors.js';
import { SecretsProvider, type SecretVersion } from '../secrets-provider.js';
import { generateSigningKeyPair } from '../signing-key-pair.js';
import { generateSigningSecret } from '../signing-secret.js';
import {
  endOlderVersions,
  type OverlappingVersion,
  findTenantsOfVersion,
  hasRevokedVersion,
  insertSecretVersion,
  notifyChange,
  revokeSecretVersion,
  selectLatestVersion,
  selectLiveVersions,
} from './secret-versions.sql.js';
import type { MasterKey } from './master-key.js';
import { MasterKeyRing } from './master-key-ring.js';
import { decryptSecret, encryptSecret } from './secret-cipher.js';

const MAX_VERSION = 2 ** 31 - 1;
const MAX_LIVE_VERSIONS = 16;

export interface NewSecret {
  tenantId: string;
  alias: string;
  /** `whsec_...`, `whsk_...` or a credential. Default: a new signing secret is generated. */
  value?: string;
  /** Kind of the generated secret if no value is given. Default: `hmac`. */
  kind?: SigningKind;
}

export interface StoredSecret {
  alias: string;
  version: number;
  value: SecretValue;
}

export interface RotatedSecret extends StoredSecret {
  /** The older versions that are still live, newest first. */
  overlapping: OverlappingVersion[];
}

export interface PostgresSecretVaultOptions {
  /** The previous key, until the rotation from it is finished. */
  previousMasterKey?: MasterKey;
  /** Lifetime of cached decrypted versions; a change by another process is visible within it. Default 5000. */
  cacheTtlMs?: number;
  /** Monotonic milliseconds. Default `performance.now()`. */
  now?: () => number;
  /** Decides when an overlap ends. */
  clock?: SecretsClock;
}

/**
 * Secrets encrypted at rest. Writers join the running transaction of the given `em` (or of the async context) and never
 * end it; without one, each statement commits alone.
 */
export class PostgresSecretVault extends SecretsProvider {
  readonly #em: EntityManager;
  readonly #keys: MasterKeyRing;
  readonly #cache: CachedLiveVersions;
  readonly #clock: SecretsClock;
  #reader: Pick<EntityManager, 'getKysely'> | undefined;

  constructor(em: EntityManager, masterKey: MasterKey, options: PostgresSecretVaultOptions = {}) {
    super();
    const { previousMasterKey, cacheTtlMs = 5000, now, clock = new SecretsClock() } = options;
    this.#em = em;
    this.#keys = new MasterKeyRing(masterKey, previousMasterKey);
    this.#cache = new CachedLiveVersions({ ttlMs: cacheTtlMs, now });
    this.#clock = clock;
  }

  /**
   * Loads signing secrets through this reader instead of the host's EntityManager, e.g. one with deadlines. It must not
   * join a transaction.
   */
  readThrough(reader: Pick<EntityManager, 'getKysely'>): void {
    this.#reader = reader;
  }

  async liveVersions(tenantId: string, alias: string): Promise<SecretVersion[]> {
    const address = findSecretAddress(tenantId, alias);
    if (!address) {
      return [];
    }
    const versions = await this.#cache.get(cacheKey(address), () => this.#load(address));
    // An overlap may end while its version is in the cache.
    const now = this.#clock.now();
    return versions.filter(({ liveUntil }) => !liveUntil || liveUntil > now);
  }

  /** Adds the next version; earlier versions stay live until they are revoked or a rotation ends them. */
  async put(secret: NewSecret, em = this.#em): Promise<StoredSecret> {
    const address = parseSecretAddress(secret.tenantId, secret.alias);
    const value = secret.value === undefined ? generate(secret.kind) : parseSecret(secret.value);
    const masterKey = await this.#keys.toEncryptWith(em);
    for (;;) {
      await this.#refuseUnfit(address, kindOf(value), em);
      const place = { ...address, version: (await selectLatestVersion(em, address)) + 1 };
      const ciphertext = encryptSecret(masterKey, place, value);
      const row = { ...place, ciphertext, kind: kindOf(value), keyFingerprint: masterKey.fingerprint };
      if (await insertSecretVersion(em, row)) {
        await this.#changed(address, em);
        return { alias: place.alias, version: place.version, value };
      }
      // A concurrent put took the version between the two statements, so a higher one is visible now.
    }
  }

  /**
   * Adds the next version and sets an end on all earlier ones: until then both sign. Without an overlap they end now.
   */
  async rotate(secret: NewSecret & { overlapSeconds: number }, em = this.#em): Promise<RotatedSecret> {
    const stored = await this.put(secret, em);
    const address = parseSecretAddress(secret.tenantId, secret.alias);
    const now = this.#clock.now();
    const until = new Date(now.getTime() + secret.overlapSeconds * 1000);
    const ended = await endOlderVersions(em, address, { before: stored.version, until, now });
    return { ...stored, overlapping: ended.filter(({ liveUntil }) => liveUntil > now) };
  }

  /** The kind of the secret under the alias; undefined if there is none. */
  async kindOf(tenantId: string, alias: string, em = this.#em): Promise<SecretKind | undefined> {
    const address = findSecretAddress(tenantId, alias);
    return address && (await selectLiveVersions(em, address, this.#clock.now()))[0]?.kind;
  }

  /** False if the version does not exist or is already revoked. */
  async revoke(tenantId: string, alias: string, version: number, em = this.#em): Promise<boolean> {
    const address = findSecretAddress(tenantId, alias);
    if (!address || !isVersion(version)) {
      return false;
    }
    const revoked = await revokeSecretVersion(em, address, version);
    await this.#changed(address, em);
    return revoked;
  }

  /**
   * The tenants, two at most, that could revoke this version: aliases belong to a tenant, and two may use the same one.
   */
  async tenantsOf(alias: string, version: number, em = this.#em): Promise<string[]> {
    return SecretAlias.safeParse(alias).success && isVersion(version) ? findTenantsOfVersion(em, alias, version) : [];
  }

  /** True if the version is already revoked; without a tenant, if it is for any tenant. */
  async isRevoked(tenantId: string | undefined, alias: string, version: number, em = this.#em): Promise<boolean> {
    return (
      SecretAlias.safeParse(alias).success &&
      isVersion(version) &&
      (await hasRevokedVersion(em, { tenantId, alias, version }))
    );
  }

  /** For listeners on `SECRET_CHANGES_CHANNEL`: another process changed the secret named by the message. */
  hearChange(message: string): void {
    this.#cache.forget(message);
  }

  async #refuseUnfit(address: SecretAddress, kind: SecretKind, em: EntityManager): Promise<void> {
    const live = await selectLiveVersions(em, address, this.#clock.now());
    if (live[0] && live[0].kind !== kind) {
      throw new SecretKindMismatchError(address.alias, live[0].kind, kind);
    }
    if (live.length >= MAX_LIVE_VERSIONS) {
      throw new TooManyLiveVersionsError(address.alias, MAX_LIVE_VERSIONS);
    }
  }

  async #changed(address: SecretAddress, em: EntityManager): Promise<void> {
    this.#cache.forget(cacheKey(address), rootTransaction(em));
    await notifyChange(em, cacheKey(address));
  }

  async #load(address: SecretAddress): Promise<SecretVersion[]> {
    // A fork reads outside the caller's transaction: uncommitted secrets must neither sign nor enter the cache.
    const rows = await selectLiveVersions(this.#reader ?? this.#em.fork(), address, this.#clock.now()).catch(
      (cause: unknown) => {
        throw new SecretsUnavailableError(
          `the vault did not answer for the secret ${printableAlias(address.alias)}: check that PostgreSQL is reachable and migrated.`,
          { cause },
        );
      },
    );
    return rows.map(({ version, ciphertext, liveUntilMs }) => ({
      version,
      value: decryptSecret(this.#keys.all, { ...address, version }, ciphertext),
      ...(liveUntilMs !== null && { liveUntil: new Date(liveUntilMs) }),
    }));
  }
}

function generate(kind: NewSecret['kind']): SecretValue {
  return kind === 'ed25519' ? generateSigningKeyPair() : generateSigningSecret();
}

function isVersion(version: number): boolean {
  return Number.isInteger(version) && version >= 1 && version <= MAX_VERSION;
}

function cacheKey({ tenantId, alias }: SecretAddress): string {
  return `${tenantId}/${alias}`;
}

/**
 * The transaction whose end makes a change visible. A savepoint never learns of its root's end, so a change within one
 * becomes visible here like in any other process: within `cacheTtlMs` of the commit.
 */
function rootTransaction(em: EntityManager): TransactionState | undefined {
  const transaction = em.getTransactionContext<TransactionState>();
  return transaction && 'savepointName' in transaction ? undefined : transaction;
}
