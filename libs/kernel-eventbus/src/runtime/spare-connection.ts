import type { EntityManager } from '@mikro-orm/postgresql';

/** Whether a second connection is to be had at once: whoever holds one and waits for another may wait for ever. */
export async function hasSpareConnection(em: EntityManager): Promise<boolean> {
  const { idleCount, totalCount, options } = await em.getConnection().getNativeClient();
  return idleCount > 0 || totalCount < options.max;
}
