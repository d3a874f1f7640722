import { eventBusEntities, kernelMigrations } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options, PostgreSqlDriver } from '@mikro-orm/postgresql';

type Migrations = NonNullable<NonNullable<Options['migrations']>['migrationsList']>;

/** Location of the tables, and the role to use there. */
export interface DatabasePlace {
  databaseUrl: string;
  /** Set on every connection. Default: none, the user of the URL. */
  databaseRole?: string;
}

export interface AppTables {
  entities: NonNullable<Options['entities']>;
  migrations: Migrations;
  /** Shared by requests, routing and recording; each holds a connection for milliseconds. Default: 20. */
  poolSize?: number;
}

export interface SchemaTables {
  schema: string;
  migrations: Migrations;
  /** Default: no timeout. */
  connectTimeoutMs?: number;
}

const MIGRATED_POSTGRES = {
  driver: PostgreSqlDriver,
  // A typo in the URL must not create an empty database.
  ensureDatabase: false,
  extensions: [Migrator],
};

/** The tables of the event bus, and those of the app beside them. */
export function appOrmOptions(place: DatabasePlace, { entities, migrations, poolSize = 20 }: AppTables): Options {
  const { databaseUrl, databaseRole } = place;
  return defineConfig({
    ...MIGRATED_POSTGRES,
    clientUrl: databaseUrl,
    entities: [...eventBusEntities, ...entities],
    migrations: { migrationsList: [...kernelMigrations, ...migrations], snapshot: false, silent: true },
    pool: { min: 0, max: poolSize },
    driverOptions: databaseRole ? { options: `-c role=${databaseRole}` } : {},
  });
}

/** Tables in a schema of their own, written with SQL alone; none of the event bus. */
export function schemaOrmOptions(databaseUrl: string, { schema, migrations, connectTimeoutMs }: SchemaTables): Options {
  return defineConfig({
    ...MIGRATED_POSTGRES,
    clientUrl: databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    migrations: { migrationsList: migrations, tableName: `${schema}.migration`, snapshot: false, silent: true },
    pool: { min: 0, max: 5 },
    driverOptions: {
      ...(connectTimeoutMs && { connectionTimeoutMillis: connectTimeoutMs }),
      // Tables named without a schema, such as the inbox's, are in the first of the search_path.
      options: `-c search_path=${schema}`,
    },
  });
}
