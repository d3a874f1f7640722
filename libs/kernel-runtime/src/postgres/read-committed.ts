import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A transaction that sees the commits of others, whatever the database's default isolation level. */
export function readCommitted<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  return em.fork().transactional(work, { isolationLevel: IsolationLevel.READ_COMMITTED });
}
