import { CompiledQuery, type Kysely } from 'kysely';
import { namesOf } from './statement-names.js';

/**
 * A cached plan may date from a time when a table was nearly empty and a sequential scan was cheapest. The hot path
 * looks up single rows whatever the size of the tables, so these settings enforce index plans. Regular replanning
 * limits the life of plans that are still bad.
 */
const SETTINGS = `
  set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
  set local plan_cache_mode = force_generic_plan; set local jit = off
`;
/**
 * For claims: their cost depends on the limit and on the queue, and a plan for an empty queue would read all of a full
 * one. They are few, so they are parsed once and planned every time.
 */
export const PLANNED_EACH_TIME = 'set local plan_cache_mode = force_custom_plan';
/**
 * For writes that are repeated if a server crash loses them: the commit does not wait for the disk. A later commit that
 * does wait makes them durable too.
 */
export const DONE_AGAIN_IF_LOST = 'set local synchronous_commit = off';
const REPLAN_MS = 5_000;
/**
 * A worker that freezes between two statements (a paused machine, a stopped process) must not hold its row locks until
 * it resumes: the server ends its session, which releases them. The server's statement timeout is shorter than the
 * worker's (`STATEMENT_MS`), so that no abandoned statement completes.
 */
const LIMITS = `set local idle_in_transaction_session_timeout = '10s'; set local statement_timeout = '5s'`;
const COMMIT = CompiledQuery.raw('commit');
const ROLLBACK = CompiledQuery.raw('rollback');

/** Number of connections that a worker usually has in use, so that each of them replans. */
const REPLANS = 4;

let nextReplan = 0;
let replansLeft = 0;

/**
 * Runs `work` in a transaction for prepared statements, without extra round trips, or in the current one. A new
 * transaction is repeated once if its session had lost a statement.
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
      // The caller needs the first error; a lost connection has nothing to roll back.
      await connection.executeQuery(ROLLBACK).catch(() => undefined);
      throw error;
    }
  });
}

/** Begins a transaction for prepared statements. Every few seconds, `REPLANS` of them first discard cached plans. */
export function beginHot(settings = ''): string {
  if (performance.now() >= nextReplan) {
    nextReplan = performance.now() + REPLAN_MS;
    replansLeft = REPLANS;
  }
  const isStale = replansLeft-- > 0;
  // PostgreSQL accepts the isolation level only before any other statement.
  return `begin isolation level read committed; ${isStale ? 'discard plans; ' : ''}${SETTINGS}; ${LIMITS}; ${settings}`;
}
