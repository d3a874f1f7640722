import type { EntityManager } from '@mikro-orm/postgresql';

/** The entities that the host's MikroORM has to know. */
export class KernelEntities {
  constructor(private readonly entities: readonly { meta: { className: string; tableName: string } }[]) {}

  get tables(): string[] {
    return this.entities.map(({ meta }) => meta.tableName);
  }

  /** Class names of those that the host has not registered. */
  missingFrom(em: EntityManager): string[] {
    const known = new Set([...em.getMetadata().getAll().values()].map(({ tableName }) => tableName));
    return this.entities.filter(({ meta }) => !known.has(meta.tableName)).map(({ meta }) => meta.className);
  }
}
