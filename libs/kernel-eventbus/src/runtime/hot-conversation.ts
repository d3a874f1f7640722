import type { EntityManager } from '@mikro-orm/postgresql';
import type { Connection, Statement } from './hot-statement.js';
import { beginHot } from './hot-transaction.js';

/** Sends the last statement of the transaction, which has left when this returns; the promise tells when it is committed. */
export type Tell = <Row>(statement: Statement<Row>) => Promise<Row[]>;

/**
 * A transaction with the settings of the hot path that asks something and then tells something, in two round trips: its begin leaves
 * with the question, its commit with what is told. Where nothing is told it ends without a change.
 */
export async function converse<Row, Result>(
  em: EntityManager,
  question: Statement<Row>,
  answer: (rows: Row[], tell: Tell) => Promise<Result>,
  settings = '',
): Promise<Result> {
  const pool = await em.getConnection().getNativeClient();
  const connection: Connection = await pool.connect();
  let isOver = false;
  const tell: Tell = async (statement) => {
    const [told] = await send(connection, statement, 'commit');
    isOver = true;
    return rowsOf(told);
  };
  try {
    const [, asked] = await send(connection, beginHot(settings), question);
    const result = await answer(rowsOf(asked), tell);
    if (!isOver) {
      await connection.query('rollback');
      isOver = true;
    }
    return result;
  } finally {
    // What is not over is over with its connection.
    connection.release(!isOver);
  }
}

interface Answer {
  rows: unknown[];
}

/** Together, without waiting for each one's answer. After one that failed the server refuses the others, and a commit rolls back. */
async function send(connection: Connection, ...statements: (string | Statement)[]): Promise<Answer[]> {
  connection.pipeline = true;
  const answers = await Promise.allSettled(statements.map((statement) => connection.query(statement)));
  connection.pipeline = false;
  return answers.map((answer) => {
    if (answer.status === 'rejected') {
      throw answer.reason;
    }
    return answer.value;
  });
}

function rowsOf<Row>(answer: Answer | undefined): Row[] {
  return answer!.rows as Row[];
}
