import type { EntityManager } from '@mikro-orm/postgresql';
import { beginHot } from './hot-transaction.js';

export interface Statement {
  name?: string;
  text: string;
  values: readonly unknown[];
}

/** What is needed of a connection of the pool; the driver behind it is MikroORM's. */
export interface Connection {
  /** Sends what follows without waiting for answers. */
  pipeline?: boolean;
  query(statement: string | Statement): Promise<{ rows: unknown[] }>;
  release(destroy?: boolean): void;
}

/**
 * One statement in a transaction with the settings of the hot path, in a single round trip: begin, statement and commit leave
 * together. A busy worker is slow to answer, and each trip less is a wait less. `settings`: further ones for this transaction.
 */
export async function executeHot<Row>(em: EntityManager, statement: Statement, settings = ''): Promise<Row[]> {
  const pool = await em.getConnection().getNativeClient();
  const connection: Connection = await pool.connect();
  let isBroken = false;
  try {
    connection.pipeline = true;
    const sent = [connection.query(beginHot(settings)), connection.query(statement), connection.query('commit')];
    const [begun, executed, committed] = await Promise.allSettled(sent);
    // After a failure the commit rolled back; the first error is the one that tells why.
    const failed = [begun!, executed!, committed!].find((step) => step.status === 'rejected');
    if (failed) {
      isBroken = begun!.status === 'rejected' || committed!.status === 'rejected';
      throw failed.reason;
    }
    return (executed as PromiseFulfilledResult<{ rows: Row[] }>).value.rows;
  } finally {
    connection.pipeline = false;
    connection.release(isBroken);
  }
}
