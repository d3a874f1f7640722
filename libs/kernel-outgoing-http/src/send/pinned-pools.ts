import { Pool, buildConnector } from 'undici';
import type { ResolvedAddress } from '../dns/resolver.js';

export interface PinnedPoolsOptions {
  /** Maximum open origins; the least recently used one is retired. Default 512. */
  maxPools?: number;
  /** Sockets per origin and address. Default 64. */
  connectionsPerPool?: number;
  /** Connect timeout, independent of the request's deadline. Default 10 000. */
  connectTimeoutMs?: number;
  /** How long an idle socket is kept if the server names no time. Default 4 000. */
  keepAliveMs?: number;
  /** How long `close` waits for requests in flight before it aborts them. Default 5 000. */
  closeGraceMs?: number;
  /** PEM certificates trusted instead of the system's, for internal receivers. */
  ca?: string | Buffer | (string | Buffer)[];
}

const defaults = {
  maxPools: 512,
  connectionsPerPool: 64,
  connectTimeoutMs: 10_000,
  keepAliveMs: 4_000,
  closeGraceMs: 5_000,
};
/** Upper limit of the keep-alive that a server asks for. */
const longestKeepAliveMs = 60_000;

export class PoolsClosedError extends Error {
  readonly code = 'EVENTBUS_POOLS_CLOSED';

  constructor() {
    super('Outgoing connections are closed because the application is shutting down.');
    this.name = 'PoolsClosedError';
  }
}

/** One undici pool per `origin|address`: a socket opened for a vetted address is never reused for another one. */
export class PinnedPools {
  private readonly options: PinnedPoolsOptions & typeof defaults;
  private readonly pools = new Map<string, Pool>();
  /** Removed from the cache but still finishing requests; `close` must reach them too. */
  private readonly retiring = new Set<Pool>();
  private newestKey = '';
  private isClosed = false;

  constructor(options: PinnedPoolsOptions = {}) {
    this.options = { ...defaults, ...options };
  }

  get size(): number {
    return this.pools.size;
  }

  acquire(origin: string, pinned: ResolvedAddress): Pool {
    if (this.isClosed) throw new PoolsClosedError();
    const key = `${origin}|${pinned.address}`;
    let pool = this.pools.get(key);
    if (pool && key === this.newestKey) return pool;
    if (pool) {
      this.pools.delete(key);
    } else {
      if (this.pools.size >= this.options.maxPools) this.retireOne();
      pool = this.open(origin, pinned);
    }
    // A Map keeps insertion order, so its first key is always the least recently used.
    this.pools.set(key, pool);
    this.newestKey = key;
    return pool;
  }

  /** Waits for requests in flight within the grace period, then aborts the rest. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const key of [...this.pools.keys()]) this.retire(key);
    const pools = [...this.retiring];
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, this.options.closeGraceMs);
    await Promise.race([Promise.all(pools.map((pool) => pool.close())), grace.promise]);
    clearTimeout(timer);
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private open(origin: string, pinned: ResolvedAddress): Pool {
    return new Pool(origin, {
      connect: this.connectTo(origin, pinned),
      connections: this.options.connectionsPerPool,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: this.options.keepAliveMs,
      keepAliveMaxTimeout: longestKeepAliveMs,
      // The request's signal is the one deadline over everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Connects to the address itself, so that no second lookup can change it; TLS still verifies the host name. */
  private connectTo(origin: string, pinned: ResolvedAddress): buildConnector.connector {
    const { hostname, protocol } = new URL(origin);
    const connect = buildConnector({
      allowH2: false,
      // Explicit: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise disable verification.
      rejectUnauthorized: true,
      timeout: this.options.connectTimeoutMs,
      ...(this.options.ca && { ca: this.options.ca }),
    });
    const isNamed = hostname !== pinned.address && !hostname.startsWith('[');
    const servername = protocol === 'https:' && isNamed ? hostname : undefined;
    return (options, callback) => connect({ ...options, hostname: pinned.address, servername }, callback);
  }

  private retireOne(): void {
    let victim: string | undefined;
    for (const [key, pool] of this.pools) {
      victim ??= key;
      if (pool.stats.size === 0) {
        victim = key;
        break;
      }
    }
    if (victim) this.retire(victim);
  }

  private retire(key: string): void {
    const pool = this.pools.get(key)!;
    this.pools.delete(key);
    this.retiring.add(pool);
    void pool.close().then(() => this.retiring.delete(pool));
  }
}
