import type { EntityManager } from '@mikro-orm/postgresql';
import type { Connection, Statement } from './hot-statement.js';
import { beginHot } from './hot-transaction.js';

/** Sends the one statement that changes something, and answers its rows when that is committed. To be called once. */
export type Write = <Row>(statement: Statement) => Promise<Row[]>;

/**
 * A transaction with the settings of the hot path in two round trips: its begin leaves with what reads, its commit with what writes.
 * Where `work` writes nothing, nothing is changed.
 */
export async function readThenWrite<Row, Result>(
  em: EntityManager,
  read: Statement,
  work: (rows: Row[], write: Write) => Promise<Result>,
  settings = '',
): Promise<Result> {
  const pool = await em.getConnection().getNativeClient();
  const connection: Connection = await pool.connect();
  let isOpen = true;
  const write: Write = async <Row>(statement: Statement) => {
    const [written, committed] = await pipeline(connection, statement, 'commit');
    // After a failure it rolled back.
    isOpen = committed!.status === 'rejected';
    const { rows } = resultOf(written!);
    resultOf(committed!);
    return rows as Row[];
  };
  try {
    const [begun, answered] = await pipeline(connection, beginHot(settings), read);
    resultOf(begun!);
    const result = await work(resultOf(answered!).rows as Row[], write);
    if (isOpen) {
      await connection.query('rollback');
      isOpen = false;
    }
    return result;
  } finally {
    // What is open still ends with its connection.
    connection.release(isOpen);
  }
}

type Answer = PromiseSettledResult<{ rows: unknown[] }>;

/** They leave together, without waiting for each one's answer. Behind one that failed the server refuses the others. */
async function pipeline(connection: Connection, ...statements: (string | Statement)[]): Promise<Answer[]> {
  connection.pipeline = true;
  const answers = await Promise.allSettled(statements.map((statement) => connection.query(statement)));
  connection.pipeline = false;
  return answers;
}

function resultOf(answer: Answer): { rows: unknown[] } {
  if (answer.status === 'rejected') {
    throw answer.reason;
  }
  return answer.value;
}
