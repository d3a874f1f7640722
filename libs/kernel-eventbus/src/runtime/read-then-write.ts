import type { EntityManager } from '@mikro-orm/postgresql';
import {
  answerWithin,
  connectEngine,
  releaseConnection,
  STATEMENT_MS,
  type Connection,
  type Statement,
} from './engine-connection.js';
import { beginHot } from './hot-transaction.js';
import { namesOf } from './statement-names.js';

/** The transaction between its first read and its commit. */
export interface OpenTransaction {
  /** A further round trip. */
  query<Row>(statement: Statement): Promise<Row[]>;
  /** Sends the last statement together with the commit. Resolves with its rows when both have succeeded. To be called once. */
  commitWith<Row>(statement: Statement): Promise<Row[]>;
}

/**
 * A transaction with the settings of the hot path in two round trips: begin leaves with the first read, commit with the last write.
 * Without `commitWith` it is rolled back.
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
      const [written, committed] = await pipeline(connection, names.apply(statement), 'commit');
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
    // Not run again here: deliveries may be on their way. The next batch goes without names.
    names.giveUpAfter(error);
    throw error;
  } finally {
    // A transaction that is still open ends with its connection.
    releaseConnection(connection, isOpen);
  }
}

type Answer = PromiseSettledResult<{ rows: unknown[] }>;

async function begin(connection: Connection, settings: string, read: Statement): Promise<Answer> {
  const [begun, answer] = await pipeline(connection, beginHot(settings), read);
  resultOf(begun!);
  return answer!;
}

/** Sends statements without waiting for each one's answer. Behind a failed one the server refuses the others. */
async function pipeline(connection: Connection, ...statements: (string | Statement)[]): Promise<Answer[]> {
  connection.pipeline = true;
  const answers = await answerWithin(connection, STATEMENT_MS, () =>
    Promise.allSettled(statements.map((statement) => connection.query(statement))),
  );
  connection.pipeline = false;
  return answers;
}

function resultOf(answer: Answer): { rows: unknown[] } {
  if (answer.status === 'rejected') {
    throw answer.reason;
  }
  return answer.value;
}
