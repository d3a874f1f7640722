import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';

type Query = (...args: unknown[]) => unknown;

export interface TappedTransaction {
  /** The texts of what was handed to `client.query`, in order. */
  texts: string[];
  /** How often the server said that it is ready for more, which it does once in each round trip. */
  roundTrips: number;
}

/** Listens at every connection of the app's pool. */
export class WireTap {
  /** Those that were begun by a `begin` of its own, as MikroORM's are. */
  readonly transactions: TappedTransaction[] = [];
  /** Comes between whoever calls `client.query` and `pg`, as an instrumentation does. */
  wrap: (query: Query, args: unknown[]) => unknown = (query, args) => query(...args);

  private constructor(readonly pool: pg.Pool) {
    pool.on('connect', (client) => this.tap(client));
  }

  static async of(em: EntityManager): Promise<WireTap> {
    const pool = await em.getConnection().getNativeClient();
    const tap = new WireTap(pool);
    // Connections that were made before anybody listened.
    while (pool.idleCount > 0) {
      (await pool.connect()).release(true);
    }
    return tap;
  }

  private tap(client: pg.PoolClient): void {
    const query = client.query.bind(client) as Query;
    let current: TappedTransaction | undefined;
    /** What a new connection was asked before its first transaction, and has not answered yet. */
    let askedBefore = 0;
    client.query = ((...args: unknown[]) => {
      const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text: string }).text;
      if (text.startsWith('begin')) {
        current = { texts: [], roundTrips: 0 };
        if (text === 'begin') {
          this.transactions.push(current);
        }
      }
      if (current) {
        current.texts.push(text.trim());
      } else {
        askedBefore++;
      }
      return this.wrap(query, args);
    }) as typeof client.query;
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    connection.on('readyForQuery', () => {
      if (askedBefore > 0) {
        askedBefore--;
      } else if (current) {
        current.roundTrips++;
      }
    });
  }
}
