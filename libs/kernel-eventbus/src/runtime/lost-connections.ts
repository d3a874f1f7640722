import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

/** What is needed of the pool and its connections; the driver behind them is MikroORM's. */
export interface HeldConnection {
  /** Of the process at the other end, as it introduced itself. */
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

/** Time in which the holder of a lost connection gives it back by itself; Kysely's other ways to take one do. */
const GRACE_MS = 2_000;
const SETTLE_MS = 5_000;
/**
 * For a connection that is being made, unless the host sets a limit. A server that accepts connections and never answers, as behind a load
 * balancer during a failover, would otherwise take every place of the pool for good. The pool's limit is also one for callers that wait.
 */
const CONNECT_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 5;

/**
 * Gives the place of a connection that was lost inside a transaction back to the pool. Kysely's controlled transactions, which MikroORM
 * uses, do not when begin, commit or rollback throws (kysely-org/kysely#1990), and neither library has a hook for it: after as many
 * losses as the pool has places, everything that needs the database would wait for ever, and so would the shutdown after a single one.
 * The pool's own events tell which connections are in use; no method of theirs is replaced.
 *
 * Nor does Kysely give back a connection that was still being made when the pool was closed, as in a start that fails while others
 * look into the database; so it is closed when nothing is under way.
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

  /** Before MikroORM's own, which closes the pool: it is of a module that ours needs. */
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
    const lose = () => setTimeout(() => this.giveBack(connection), GRACE_MS).unref();
    // One that was closed from this side, because it did not answer, tells of no error.
    connection.on('error', lose).on('end', lose);
  }

  private giveBack(connection: HeldConnection): void {
    if (this.#held.has(connection)) {
      connection.release(true);
    }
  }
}

function isInUse({ totalCount, idleCount, waitingCount }: Pool): boolean {
  return totalCount > idleCount || waitingCount > 0;
}
