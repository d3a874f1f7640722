import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type Kysely } from 'kysely';

/**
 * Statistics may have lagged behind when a backlog came, and reading a whole table would seem cheap to the planner: within this
 * work it is not let, and nothing takes longer than five seconds.
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
