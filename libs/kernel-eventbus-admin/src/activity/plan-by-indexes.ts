import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type Kysely } from 'kysely';

/**
 * Forces index scans and a statement timeout of five seconds. With statistics from before a backlog, the planner would
 * choose a sequential scan.
 */
export function planByIndexes<T>(em: EntityManager, work: (db: Kysely<unknown>) => Promise<T>): Promise<T> {
  return em.transactional(async (inner) => {
    const db: Kysely<unknown> = inner.getKysely();
    await sql`
      select set_config('statement_timeout', '5000', true), set_config('enable_seqscan', 'off', true),
        set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)
    `.execute(db);
    return work(db);
  });
}
