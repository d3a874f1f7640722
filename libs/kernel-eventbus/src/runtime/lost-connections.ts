import { setTimeout as delay } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

/** What is needed of the pool and its connections; the driver behind them is MikroORM's. */
interface Connection {
  on(event: 'error', lost: () => void): unknown;
  release: (destroy?: boolean) => void;
}

interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  on(event: 'acquire', taken: (connection: Connection) => void): unknown;
  on(event: 'release', released: (error: unknown, connection: Connection) => void): unknown;
}

const SETTLE_MS = 5_000;
const LOOK_EVERY_MS = 5;

/**
 * Gives the place of a connection that was lost inside a transaction back to the pool. Kysely's controlled transactions,
 * which MikroORM uses, do not when commit or rollback throws (kysely-org/kysely#1990): after as many losses as the pool
 * has places, everything that needs the database would wait for ever, and so would the shutdown after a single one.
 *
 * Nor does Kysely give back a connection that was still being made when the pool was closed, as in a start that fails while others
 * look into the database; so it is closed when nothing is under way.
 */
@Injectable()
export class LostConnections implements OnModuleInit, OnApplicationShutdown {
  #pool: Pool | undefined;
  readonly #held = new Set<Connection>();
  readonly #watched = new WeakSet<Connection>();

  constructor(private readonly em: EntityManager) {}

  async onModuleInit(): Promise<void> {
    const pool = (await this.em.getConnection().getNativeClient()) as Pool;
    this.#pool = pool;
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

  private watch(connection: Connection): void {
    this.#held.add(connection);
    if (this.#watched.has(connection)) {
      return;
    }
    this.#watched.add(connection);
    connection.on('error', () => {
      if (this.#held.has(connection)) {
        connection.release(true);
        // Whoever still holds it may release it once more, which the pool takes for a mistake.
        connection.release = () => undefined;
      }
    });
  }
}

function isInUse({ totalCount, idleCount, waitingCount }: Pool): boolean {
  return totalCount > idleCount || waitingCount > 0;
}
