import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { findAppliedMigrations, findReadableTables, type TablePlace } from './applied-migrations.sql.js';
import type { KernelEntities } from './kernel-entities.js';
import { kernelMigrationNames } from './kernel-migrator.js';

/**
 * Names of the kernel's migrations that are not applied, else of its tables that are missing. If MikroORM's table of this
 * configuration knows no migration of the kernel, the host applies them in another way: the tables serve as evidence. Does not use the Migrator's
 * `getPending`, which creates a missing folder or table.
 */
export async function findPendingMigrations(em: EntityManager, entities: KernelEntities): Promise<string[]> {
  const db: Kysely<unknown> = em.fork().getKysely();
  const names = kernelMigrationNames(em);
  const applied = await findAppliedMigrations(db, migrationsTable(em), names);
  const unapplied = names.filter((name) => !applied.has(name));
  if (applied.size > 0 && unapplied.length > 0) {
    return unapplied;
  }
  const readable = await findReadableTables(db, entities.tables, em.config.get('schema'));
  const missing = entities.tables.filter((table) => !readable.has(table));
  return missing.length === entities.tables.length ? names : missing;
}

/** Resolved as MikroORM does. */
function migrationsTable(em: EntityManager): TablePlace {
  const { tableName = 'mikro_orm_migrations', schema } = em.config.get('migrations');
  const [table, ownSchema] = tableName.split('.').reverse() as [string, string?];
  return { schema: schema ?? ownSchema ?? em.config.get('schema'), table };
}
