import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A transaction whose statements see what others committed, whatever the database's default isolation is. */
export function readCommitted<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  return em.fork().transactional(work, { isolationLevel: IsolationLevel.READ_COMMITTED });
}
