import type { EntityManager } from '@mikro-orm/postgresql';
import {
  connectEngine,
  releaseConnection,
  sendTogether,
  STATEMENT_MS,
  type Answer,
  type Connection,
  type QueryAnswer,
  type Statement,
} from './engine-connection.js';
import { beginHot } from './hot-transaction.js';
import { namesOf } from './statement-names.js';

export type { Connection, Statement };

/**
 * Runs a statement in a transaction with the hot path's settings in one round trip: begin, statement and commit are
 * sent together. Fewer round trips mean fewer waits in a busy worker. `settings`: additional ones for this transaction.
 */
export async function executeHot<Row>(em: EntityManager, statement: Statement, settings = ''): Promise<Row[]> {
  try {
    return await executeOnce(em, statement, settings);
  } catch (error) {
    if (namesOf(em.getConnection().getClient()).giveUpAfter(error)) {
      return executeOnce(em, statement, settings);
    }
    throw error;
  }
}

async function executeOnce<Row>(em: EntityManager, statement: Statement, settings: string): Promise<Row[]> {
  const connection = await connectEngine(em);
  const named = namesOf(em.getConnection().getClient()).apply(statement);
  let isBroken = true;
  try {
    const [begun, executed, committed] = (await sendTogether(connection, STATEMENT_MS, [
      beginHot(settings),
      named,
      'commit',
    ])) as [Answer, Answer, Answer];
    // After a failure the commit has rolled back; the first error is the cause.
    const failed = [begun, executed, committed].find((step) => step.status === 'rejected');
    isBroken = begun.status === 'rejected' || committed.status === 'rejected';
    if (failed) {
      throw failed.reason;
    }
    return (executed as PromiseFulfilledResult<QueryAnswer>).value.rows as Row[];
  } finally {
    releaseConnection(connection, isBroken);
  }
}
