export interface PolicyCacheOptions {
  ttlMs: number;
  maxEntries?: number;
  /** Monotonic milliseconds. */
  now?: () => number;
}

interface Entry<T> {
  eventType: string;
  value: Promise<T>;
  expiresAt: number;
}

/**
 * Caches a lookup per tenant and event type for a short time, never a failure. The entry is the running lookup itself:
 * callers share it, and forgetting it also keeps a lookup in progress out of the cache.
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

  /** For every tenant: a changed default affects all tenants without their own policy. */
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
