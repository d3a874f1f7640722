import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';

type Query = (...args: unknown[]) => unknown;

export interface TappedTransaction {
  /** Texts passed to `client.query`, in order. */
  texts: string[];
  /** Number of ReadyForQuery messages, of which the server sends one per round trip. */
  roundTrips: number;
}

/** Observes every connection of the app's pool. */
export class WireTap {
  /** Transactions with a separate `begin`, like MikroORM's. */
  readonly transactions: TappedTransaction[] = [];
  /** Wraps `client.query`, like an instrumentation. */
  wrap: (query: Query, args: unknown[]) => unknown = (query, args) => query(...args);

  private constructor(readonly pool: pg.Pool) {
    pool.on('connect', (client) => this.tap(client));
  }

  static async of(em: EntityManager): Promise<WireTap> {
    const pool = await em.getConnection().getNativeClient();
    const tap = new WireTap(pool);
    // Connections opened before the tap was installed.
    while (pool.idleCount > 0) {
      (await pool.connect()).release(true);
    }
    return tap;
  }

  private tap(client: pg.PoolClient): void {
    const query = client.query.bind(client) as Query;
    let current: TappedTransaction | undefined;
    /** Pending queries of a new connection before its first transaction. */
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
