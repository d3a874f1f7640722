import type { SecretVersion } from './secrets-provider.js';

/** The state of a Kysely transaction, as far as the cache needs it. */
export interface TransactionState {
  readonly isCommitted: boolean;
  readonly isRolledBack: boolean;
}

export interface CachedLiveVersionsOptions {
  ttlMs: number;
  /** Default 10,000 aliases. */
  maxEntries?: number;
  /** Monotonic milliseconds. Default `performance.now()`. */
  now?: () => number;
}

interface Entry {
  versions: Promise<SecretVersion[]>;
  expiresAtMs: number;
}

/**
 * Caches decrypted versions for a short time, counted from the start of their load. Failures and empty results are not
 * cached, and nothing is served past its lifetime, so an unavailable store is noticed within `ttlMs`.
 */
export class CachedLiveVersions {
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #now: () => number;
  /** Oldest first: entries share one lifetime and are re-inserted when loaded again. */
  readonly #entries = new Map<string, Entry>();
  readonly #changing = new Map<string, Set<TransactionState>>();

  constructor({ ttlMs, maxEntries = 10_000, now = () => performance.now() }: CachedLiveVersionsOptions) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  async get(key: string, load: () => Promise<SecretVersion[]>): Promise<SecretVersion[]> {
    if (this.#isChanging(key)) {
      return load();
    }
    const known = this.#entries.get(key);
    const entry = known && this.#now() < known.expiresAtMs ? known : this.#load(key, load);
    return [...(await entry.versions)];
  }

  /**
   * Drops the entry of a changed secret. A change in a transaction is visible to others only after the commit, so until
   * then the key bypasses the cache: a value read meanwhile must not outlive the commit.
   */
  forget(key: string, transaction?: TransactionState): void {
    this.#entries.delete(key);
    if (transaction) {
      this.#changing.set(key, (this.#changing.get(key) ?? new Set()).add(transaction));
    }
  }

  #load(key: string, load: () => Promise<SecretVersion[]>): Entry {
    const entry: Entry = { versions: load(), expiresAtMs: this.#now() + this.#ttlMs };
    const drop = () => {
      if (this.#entries.get(key) === entry) {
        this.#entries.delete(key);
      }
    };
    entry.versions.then((versions) => versions.length || drop(), drop);
    this.#entries.delete(key);
    this.#makeRoom();
    this.#entries.set(key, entry);
    return entry;
  }

  #makeRoom(): void {
    for (const [key, { expiresAtMs }] of this.#entries) {
      if (this.#entries.size < this.#maxEntries && this.#now() < expiresAtMs) {
        return;
      }
      this.#entries.delete(key);
    }
  }

  #isChanging(key: string): boolean {
    const transactions = this.#changing.get(key);
    if (!transactions) {
      return false;
    }
    for (const transaction of transactions) {
      if (transaction.isCommitted || transaction.isRolledBack) {
        transactions.delete(transaction);
      }
    }
    if (transactions.size === 0) {
      this.#changing.delete(key);
    }
    return transactions.size > 0;
  }
}
