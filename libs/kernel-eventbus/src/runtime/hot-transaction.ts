import { CompiledQuery, type Kysely } from 'kysely';
import { namesOf } from './statement-names.js';

/**
 * A plan that is kept comes from a moment when a table may have been nearly empty, and reading all of it seemed best. The
 * statements of the hot path look up rows one by one, whatever the tables hold, so that is what they are planned for; and
 * what still came out wrong is not kept for long.
 */
const SETTINGS = `
  set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
  set local plan_cache_mode = force_generic_plan; set local jit = off
`;
/**
 * For claims: how many rows they take and what waits decides everything, and a plan made for an empty queue would read all of a
 * full one. They are few, so they are parsed once and planned each time.
 */
export const PLANNED_EACH_TIME = 'set local plan_cache_mode = force_custom_plan';
/**
 * For what is done again when it is lost with the server: the commit does not wait for the disk. Whatever is committed after it, and
 * does wait, makes it durable too.
 */
export const DONE_AGAIN_IF_LOST = 'set local synchronous_commit = off';
const REPLAN_MS = 5_000;
/**
 * A worker that is frozen between two statements (a paused machine, a stopped process) must not keep others from the rows it has
 * locked until it thaws: the server ends its session, and what it had claimed is free. The server gives a statement up before its worker
 * does (`STATEMENT_MS`): what nobody waits for any more is not done.
 */
const LIMITS = `set local idle_in_transaction_session_timeout = '10s'; set local statement_timeout = '5s'`;
const COMMIT = CompiledQuery.raw('commit');
const ROLLBACK = CompiledQuery.raw('rollback');

/** As many connections as a worker usually has in use: each of them is to have its turn. */
const REPLANS = 4;

let nextReplan = 0;
let replansLeft = 0;

/**
 * A transaction for prepared statements, with as many round trips as any other; or the one that runs already. One of its own begins
 * again where the session did not have a statement.
 */
export async function inHotTransaction<T>(
  db: Kysely<unknown>,
  work: (trx: Kysely<unknown>) => Promise<T>,
  settings = '',
): Promise<T> {
  if (db.isTransaction) {
    await db.executeQuery(CompiledQuery.raw(`${SETTINGS}; ${settings}`));
    return work(db);
  }
  try {
    return await runTransaction(db, work, settings);
  } catch (error) {
    if (namesOf(db).giveUpAfter(error)) {
      return runTransaction(db, work, settings);
    }
    throw error;
  }
}

function runTransaction<T>(
  db: Kysely<unknown>,
  work: (trx: Kysely<unknown>) => Promise<T>,
  settings: string,
): Promise<T> {
  return db.connection().execute(async (connection) => {
    await connection.executeQuery(CompiledQuery.raw(beginHot(settings)));
    try {
      const result = await work(connection);
      await connection.executeQuery(COMMIT);
      return result;
    } catch (error) {
      // What went wrong first is what the caller has to hear; a connection that was lost has nothing to roll back.
      await connection.executeQuery(ROLLBACK).catch(() => undefined);
      throw error;
    }
  });
}

/** Begins a transaction for prepared statements. Every few seconds the connections plan anew. */
export function beginHot(settings = ''): string {
  if (performance.now() >= nextReplan) {
    nextReplan = performance.now() + REPLAN_MS;
    replansLeft = REPLANS;
  }
  const isStale = replansLeft-- > 0;
  // The isolation comes before any other statement, or PostgreSQL refuses to set it.
  return `begin isolation level read committed; ${isStale ? 'discard plans; ' : ''}${SETTINGS}; ${LIMITS}; ${settings}`;
}
