import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { kernelMigrations } from '@kernel/migrations';
import { Migrator } from '@mikro-orm/migrations';
import type { MikroOrmModuleOptions } from '@mikro-orm/nestjs';
import type { Options } from '@mikro-orm/postgresql';
import { eventBusEntities } from './eventbus.entities.js';

/** MikroORM's options, and those of `MikroOrmModule.forRoot`. */
type HostOptions = Options & MikroOrmModuleOptions;

type Entities = (string | (typeof eventBusEntities)[number])[];

/** MikroORM looks for migrations there if the host does not say where they are. */
const DEFAULT_FOLDERS = ['migrations', 'src/migrations', 'dist/migrations', 'build/migrations'];

/**
 * MikroORM's options of the host with the kernel's entities and migrations:
 * `MikroOrmModule.forRoot(withEventBus({ ... }))`, `MikroORM.init(withEventBus({ ... }))`. Settings of the host are kept.
 */
export function withEventBus<const HostsOptions extends HostOptions>(options: HostsOptions): HostsOptions {
  const { extensions = [], migrations, schemaGenerator } = options;
  const entities = (options.entities ?? []) as Entities;
  const entitiesTs = (options.entitiesTs ?? []) as Entities;
  const { autoLoadEntities = false }: MikroOrmModuleOptions = options;
  return {
    ...options,
    entities: union(entities, eventBusEntities),
    // MikroORM uses this list alone if it is not empty and TypeScript runs directly; Nest loads entities into both.
    ...((entitiesTs.length > 0 || autoLoadEntities) && { entitiesTs: union(entitiesTs, eventBusEntities) }),
    extensions: union(extensions, [Migrator]),
    migrations: {
      // Hand-written migrations do not keep MikroORM's snapshot up to date.
      snapshot: false,
      ...migrations,
      ...(!hasFiles(options) && { migrationsList: union(kernelMigrations, migrations?.migrationsList ?? []) }),
    },
    // The kernel's migrations manage its triggers, functions and policies; no entity declares them.
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true, ignorePolicies: true, ...schemaGenerator },
  };
}

/** MikroORM reads either a list or files. Beside files, `migrate` applies the kernel's migrations on its own. */
function hasFiles({ migrations = {}, baseDir = process.cwd() }: HostOptions): boolean {
  const { migrationsList, path, pathTs, glob } = migrations;
  if (migrationsList) {
    return false;
  }
  return Boolean(path ?? pathTs ?? glob) || DEFAULT_FOLDERS.some((folder) => existsSync(resolve(baseDir, folder)));
}

function union<Item, Other>(first: readonly Item[], second: readonly Other[]): (Item | Other)[] {
  return [...new Set<Item | Other>([...first, ...second])];
}
