import type { CompiledQuery, DatabaseConnection, Kysely } from 'kysely';
import { CommitUnconfirmedError } from '../eventbus.errors.js';
import type { Statement } from './hot-statement.js';
import { StatementWithCommit } from './statement-with-commit.js';

export interface Departure {
  /** The statement and the commit are on their way; neither is answered. */
  sent: () => void;
  /** The statement failed, so nothing is committed. Throws what the commit is to fail with. */
  refused: (error: unknown) => never;
  committed: () => void;
}

type Answer = ReturnType<DatabaseConnection['executeQuery']>;
type Execute = (query: CompiledQuery) => Answer;

/**
 * Keeps the statement back until the transaction commits, and sends it together with the commit: a round trip less, and locks that are
 * held for less long. Where the statement fails, it is the commit that throws.
 *
 * Neither MikroORM nor Kysely has a way to do so. But both end a transaction with a statement on its connection like any other, so until
 * then the connection looks at what it is given. What somebody else sends before the commit runs as it is.
 */
export async function sendWithCommit(trx: Kysely<unknown>, statement: Statement, departure: Departure): Promise<void> {
  await trx.getExecutor().provideConnection(async (connection) => {
    const putBack = replaceExecuteQuery(connection, (query, execute) => {
      if (query.sql === 'commit' || query.sql === 'rollback') {
        putBack();
      }
      return query.sql === 'commit' ? commitWith(statement, query, execute, departure) : execute(query);
    });
  });
}

/** Where Kysely logs, the connection has a method of its own already, which is used and put back. */
function replaceExecuteQuery(
  connection: DatabaseConnection,
  replacement: (query: CompiledQuery, execute: Execute) => Answer,
) {
  const before = Object.getOwnPropertyDescriptor(connection, 'executeQuery');
  const executeQuery = connection.executeQuery.bind(connection);
  connection.executeQuery = ((query, options) =>
    replacement(query, (chosen) => executeQuery(chosen, options))) as typeof executeQuery;
  return () => {
    if (before) {
      Object.defineProperty(connection, 'executeQuery', before);
    } else {
      delete (connection as Partial<DatabaseConnection>).executeQuery;
    }
  };
}

async function commitWith(statement: Statement, commit: CompiledQuery, execute: Execute, departure: Departure): Answer {
  const both = new StatementWithCommit(statement);
  // Kysely hands `sql` to `pg` as it is.
  const answer = execute({ ...commit, sql: both as unknown as string });
  departure.sent();
  try {
    await answer;
  } catch (error) {
    if (both.isSubmitted) {
      throw both.isDone ? error : departure.refused(error);
    }
    return commitAfter(statement, commit, execute, departure);
  }
  if (!both.isCommitted) {
    throw new CommitUnconfirmedError();
  }
  departure.committed();
  return answer;
}

/** In two trips: in its pipeline mode `pg` takes no queries but those of its own making. */
async function commitAfter(
  statement: Statement,
  commit: CompiledQuery,
  execute: Execute,
  departure: Departure,
): Answer {
  const alone = { ...commit, sql: statement as unknown as string, parameters: statement.values };
  await execute(alone).catch(departure.refused);
  const answer = await execute(commit);
  departure.committed();
  return answer;
}
