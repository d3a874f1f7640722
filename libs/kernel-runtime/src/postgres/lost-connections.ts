import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

/** The required part of the pool and its connections; the driver is MikroORM's. */
export interface HeldConnection {
  /** Process id of the server's backend, as announced at connect. */
  processID?: number | null;
  /** False while it waits for an answer. */
  readyForQuery?: boolean;
  on(event: 'error' | 'end', lost: () => void): this;
  release(destroy?: boolean): void;
  end(): Promise<void>;
}

interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { connectionTimeoutMillis?: number };
  on(event: 'acquire', taken: (connection: HeldConnection) => void): unknown;
  on(event: 'release', released: (error: unknown, connection: HeldConnection) => void): unknown;
}

/** Time for the holder of a lost connection to release it; Kysely does so except in controlled transactions. */
const GRACE_MS = 2_000;
const SETTLE_MS = 5_000;
/**
 * Limit for connecting, unless the host sets one. A server that accepts connections and never answers, e.g. behind a
 * load balancer during a failover, would otherwise occupy the whole pool. The pool also applies this limit to callers
 * that wait for a connection.
 */
const CONNECT_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 5;

/**
 * Releases connections that were lost inside a transaction. Kysely's controlled transactions, which MikroORM uses, do
 * not release them if begin, commit or rollback throws (kysely-org/kysely#1990), and neither library has a hook for it.
 * Each loss would take one place in the pool until none is left, and a single loss would block the shutdown. The pool's
 * events tell which connections are in use; none of its methods is replaced.
 *
 * Kysely also leaks a connection that is still being opened when the pool closes, e.g. if startup fails while others
 * use the database. So the shutdown waits until no connection is in use.
 */
@Injectable()
export class LostConnections implements OnModuleInit, OnApplicationShutdown {
  #pool: Pool | undefined;
  readonly #held = new Set<HeldConnection>();
  readonly #watched = new WeakSet<HeldConnection>();

  constructor(private readonly em: EntityManager) {}

  /** Connections in use. */
  get held(): ReadonlySet<HeldConnection> {
    return this.#held;
  }

  async onModuleInit(): Promise<void> {
    const pool = (await this.em.getConnection().getNativeClient()) as Pool;
    this.#pool = pool;
    pool.options.connectionTimeoutMillis ||= CONNECT_TIMEOUT_MS;
    pool.on('release', (_error, connection) => this.#held.delete(connection));
    pool.on('acquire', (connection) => this.watch(connection));
  }

  /** Runs before MikroORM closes the pool, because this module depends on MikroORM's. */
  async onApplicationShutdown(): Promise<void> {
    const deadline = performance.now() + SETTLE_MS;
    while (this.#pool && isInUse(this.#pool) && performance.now() < deadline) {
      await delay(LOOK_EVERY_MS);
    }
  }

  private watch(connection: HeldConnection): void {
    this.#held.add(connection);
    if (this.#watched.has(connection)) {
      return;
    }
    this.#watched.add(connection);
    const lose = () => setTimeout(() => this.releaseLost(connection), GRACE_MS).unref();
    // A connection closed by this side after a timeout emits no error.
    connection.on('error', lose).on('end', lose);
  }

  private releaseLost(connection: HeldConnection): void {
    if (this.#held.has(connection)) {
      connection.release(true);
    }
  }
}

function isInUse({ totalCount, idleCount, waitingCount }: Pool): boolean {
  return totalCount > idleCount || waitingCount > 0;
}
