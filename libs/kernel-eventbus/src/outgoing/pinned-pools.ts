import { Pool, buildConnector } from 'undici';
import type { ResolvedAddress } from './resolver.js';

export interface PinnedPoolsOptions {
  /** Origins kept open at once; the least recently used one makes room. Default 512. */
  maxPools?: number;
  /** Sockets per origin and address. Default 64. */
  connectionsPerPool?: number;
  /** A connection not up by then fails, whatever the request's own deadline. Default 10 000. */
  connectTimeoutMs?: number;
  /** How long an idle socket is kept when the server does not say. Default 4 000. */
  keepAliveMs?: number;
  /** How long `close` waits for requests in flight before it cuts them. Default 5 000. */
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
/** A server may ask for a longer keep-alive; this is as far as it gets. */
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
  /** Taken out of the cache but still finishing requests; `close` has to reach them too. */
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

  /** Lets requests in flight finish within the grace period, then cuts what is left. */
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
      // One deadline over everything comes from the request's signal.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** The socket is opened to the address itself, so no second look-up can move it; TLS still proves the host name. */
  private connectTo(origin: string, pinned: ResolvedAddress): buildConnector.connector {
    const { hostname, protocol } = new URL(origin);
    const connect = buildConnector({
      allowH2: false,
      // Said out loud: NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise let anybody answer.
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
