import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Utils } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { EntitiesMissingError, MigrationsMissingError, OrmVersionsDifferError } from '../eventbus.errors.js';
import type { KernelEntities } from './kernel-entities.js';
import { findPendingMigrations } from './pending-migrations.js';

const ORM_PACKAGES = ['@mikro-orm/postgresql', '@mikro-orm/migrations', '@mikro-orm/sql'];

export function requireEntities(em: EntityManager, entities: KernelEntities): void {
  const missing = entities.missingFrom(em);
  if (missing.length > 0) {
    throw new EntitiesMissingError(missing);
  }
}

export async function requireMigrations(em: EntityManager, entities: KernelEntities): Promise<void> {
  const pending = await findPendingMigrations(em, entities);
  if (pending.length > 0) {
    throw new MigrationsMissingError(pending);
  }
}

/** MikroORM itself compares them only in its command line. */
export function requireEqualOrmVersions(versionOf: (name: string) => string | undefined = installedVersion): void {
  const core = Utils.getORMVersion();
  const others = ORM_PACKAGES.map((name) => ({ name, version: versionOf(name) ?? core }));
  if (others.some(({ version }) => version !== core)) {
    throw new OrmVersionsDifferError([{ name: '@mikro-orm/core', version: core }, ...others]);
  }
}

/** Undefined if it cannot be found, e.g. in a bundle. */
function installedVersion(name: string): string | undefined {
  try {
    const path = fileURLToPath(import.meta.resolve(`${name}/package.json`));
    return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}
