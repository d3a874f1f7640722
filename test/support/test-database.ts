import { randomBytes } from 'node:crypto';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { kernelMigrations } from '@kernel/migrations';
import pg from 'pg';

const TEMPLATE = 'kernel_template';

export interface TestDatabase {
  url: string;
  /** MikroORM options that connect to it; add `entities`. */
  ormOptions: Options;
  /** Runs one statement on a connection of its own, past the code under test. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** A fresh database with the kernel's tables, cloned from a template that the first caller of the test run migrates. */
export async function createTestDatabase(): Promise<TestDatabase> {
  await onServer(async (server) => {
    // The lock spans look-up and creation: test files run in several processes.
    await server.query('select pg_advisory_lock(310)');
    const { rowCount } = await server.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (!rowCount) {
      await makeTemplate(server);
    }
  });
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer((server) => server.query(`create database ${name} template ${TEMPLATE}`));

  const url = databaseUrl(name);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  return {
    url,
    ormOptions: { clientUrl: url, entities: [], discovery: { warnWhenNoEntities: false } },
    query: async (sql, values) => (await pool.query(sql, values)).rows as never,
    drop: async () => {
      await pool.end();
      await onServer((server) => server.query(`drop database ${name} with (force)`));
    },
  };
}

async function makeTemplate(server: pg.Client): Promise<void> {
  const draft = `${TEMPLATE}_draft`;
  await server.query(`drop database if exists ${draft} with (force)`);
  await server.query(`create database ${draft}`);
  const orm = await MikroORM.init({
    clientUrl: databaseUrl(draft),
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
  });
  await orm.migrator.up();
  await orm.close(true);
  await server.query(`alter database ${draft} rename to ${TEMPLATE}`);
}

async function onServer<T>(work: (server: pg.Client) => Promise<T>): Promise<T> {
  const server = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

function databaseUrl(name: string): string {
  const url = new URL(process.env.TEST_POSTGRES_URL!);
  url.pathname = `/${name}`;
  return url.href;
}
