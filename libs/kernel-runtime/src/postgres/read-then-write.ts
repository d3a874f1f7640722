import type { EntityManager } from '@mikro-orm/postgresql';
import {
  answerWithin,
  connectEngine,
  releaseConnection,
  sendTogether,
  STATEMENT_MS,
  type Answer,
  type Connection,
  type Statement,
} from './engine-connection.js';
import { beginHot } from './hot-transaction.js';
import { namesOf } from './statement-names.js';

/** The transaction between its first read and its commit. */
export interface OpenTransaction {
  /** Takes one more round trip. */
  query<Row>(statement: Statement): Promise<Row[]>;
  /** Sends the last statement together with the commit. Resolves with its rows after both succeed. Call it once. */
  commitWith<Row>(statement: Statement): Promise<Row[]>;
}

/**
 * A transaction with the hot path's settings in two round trips: begin is sent with the first read, commit with the
 * last write. Rolls back if `commitWith` is not called.
 */
export async function readThenWrite<Row, Result>(
  em: EntityManager,
  read: Statement,
  work: (rows: Row[], transaction: OpenTransaction) => Promise<Result>,
  settings = '',
): Promise<Result> {
  const connection = await connectEngine(em);
  const names = namesOf(em.getConnection().getClient());
  let isOpen = true;
  const transaction: OpenTransaction = {
    query: async <Row>(statement: Statement) =>
      (await answerWithin(connection, STATEMENT_MS, () => connection.query(names.apply(statement)))).rows as Row[],
    commitWith: async <Row>(statement: Statement) => {
      const [written, committed] = await sendTogether(connection, STATEMENT_MS, [names.apply(statement), 'commit']);
      // After a failed statement the commit has rolled back.
      isOpen = committed!.status === 'rejected';
      const { rows } = resultOf(written!);
      resultOf(committed!);
      return rows as Row[];
    },
  };
  try {
    let answer = await begin(connection, settings, names.apply(read));
    if (answer.status === 'rejected' && names.giveUpAfter(answer.reason)) {
      await answerWithin(connection, STATEMENT_MS, () => connection.query('rollback'));
      answer = await begin(connection, settings, names.apply(read));
    }
    const result = await work(resultOf(answer).rows as Row[], transaction);
    if (isOpen) {
      await answerWithin(connection, STATEMENT_MS, () => connection.query('rollback'));
      isOpen = false;
    }
    return result;
  } catch (error) {
    // Not repeated here: deliveries may be in flight. The next batch uses unnamed statements.
    names.giveUpAfter(error);
    throw error;
  } finally {
    // Destroying the connection ends an open transaction.
    releaseConnection(connection, isOpen);
  }
}

async function begin(connection: Connection, settings: string, read: Statement): Promise<Answer> {
  const [begun, answer] = await sendTogether(connection, STATEMENT_MS, [beginHot(settings), read]);
  resultOf(begun!);
  return answer!;
}

function resultOf(answer: Answer): { rows: unknown[] } {
  if (answer.status === 'rejected') {
    throw answer.reason;
  }
  return answer.value;
}
