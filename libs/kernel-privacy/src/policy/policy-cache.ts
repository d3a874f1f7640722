export interface PolicyCacheOptions {
  ttlMs: number;
  maxEntries?: number;
  /** Milliseconds that only ever grow. */
  now?: () => number;
}

interface Entry<T> {
  eventType: string;
  value: Promise<T>;
  expiresAt: number;
}

/**
 * Remembers a look-up per tenant and event type for a short while, its failure never. What is remembered is the running
 * look-up itself: callers share it, and forgetting it also keeps a look-up that is under way from being remembered.
 */
export class PolicyCache<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly ttlMs: number;
  private readonly maxEntries: number;
  private readonly now: () => number;

  constructor({ ttlMs, maxEntries = 5_000, now = () => performance.now() }: PolicyCacheOptions) {
    this.ttlMs = ttlMs;
    this.maxEntries = maxEntries;
    this.now = now;
  }

  get size(): number {
    return this.entries.size;
  }

  load(tenantId: string, eventType: string, look: () => Promise<T>): Promise<T> {
    const key = `${tenantId}:${eventType}`;
    const known = this.entries.get(key);
    if (known && known.expiresAt > this.now()) {
      return known.value;
    }
    const entry = { eventType, value: look(), expiresAt: this.now() + this.ttlMs };
    this.entries.delete(key);
    this.entries.set(key, entry);
    this.dropOldest();
    entry.value.catch(() => {
      if (this.entries.get(key) === entry) {
        this.entries.delete(key);
      }
    });
    return entry.value;
  }

  /** For every tenant: a changed default is seen by all that have no policy of their own. */
  forget(eventType: string): void {
    for (const [key, entry] of this.entries) {
      if (entry.eventType === eventType) {
        this.entries.delete(key);
      }
    }
  }

  private dropOldest(): void {
    if (this.entries.size > this.maxEntries) {
      this.entries.delete(this.entries.keys().next().value!);
    }
  }
}
