import { randomBytes } from 'node:crypto';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { kernelMigrations } from '@kernel/migrations';
import pg from 'pg';
import { appendIndexUsage } from './index-usage.js';

const TEMPLATE = 'kernel_template';
const PASSWORD = 'for-tests';
const DEADLOCK = '40P01';

/** Runs the migrations: an owner that is not a superuser but may create roles. */
const OWNER = 'kernel_test_owner';
/** The app under test. */
const APP = 'kernel_test_app';
/** For statements that bypass the code under test. The app may use its tables, like a host's. */
const BYSTANDER = 'kernel_test_bystander';

export interface TestDatabase {
  /** Connects as a superuser. */
  url: string;
  /** Connects as the app does: a login with the rights of `kernel_app` and no more. */
  appUrl: string;
  /** MikroORM options to connect as the app does; add `entities`. */
  ormOptions: Options;
  /** Runs one statement on a separate connection, bypassing the code under test and all rights. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /**
   * The same for DDL on a table that workers use meanwhile: PostgreSQL may cancel it in their favour, then it is run
   * again.
   */
  alter(sql: string): Promise<void>;
  drop(): Promise<void>;
}

/** A fresh database with the kernel's tables, cloned from a template that the first caller of the test run migrates. */
export async function createTestDatabase(): Promise<TestDatabase> {
  await onServer(async (server) => {
    // The lock spans lookup and creation: test files run in several processes.
    await server.query('select pg_advisory_lock(310)');
    const { rowCount } = await server.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (!rowCount) {
      await makeTemplate(server);
    }
  });
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer((server) => server.query(`create database ${name} template ${TEMPLATE} owner ${OWNER}`));

  const url = databaseUrl(name);
  const appUrl = databaseUrl(name, APP);
  const pool = new pg.Pool({ connectionString: url, options: `-c role=${BYSTANDER}`, max: 2 });
  pool.on('error', () => undefined);
  return {
    url,
    appUrl,
    ormOptions: { clientUrl: appUrl, entities: [], discovery: { warnWhenNoEntities: false } },
    query: async (sql, values) => (await pool.query(sql, values)).rows as never,
    alter: (sql) => alterAgain(pool, sql),
    drop: async () => {
      await appendIndexUsage(pool);
      await pool.end();
      await onServer((server) => server.query(`drop database ${name} with (force)`));
    },
  };
}

async function alterAgain(pool: pg.Pool, sql: string): Promise<void> {
  for (;;) {
    try {
      await pool.query(sql);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK) {
        throw error;
      }
    }
  }
}

async function makeTemplate(server: pg.Client): Promise<void> {
  const draft = `${TEMPLATE}_draft`;
  await server.query(`drop database if exists ${draft} with (force)`);
  await makeLogin(server, OWNER, 'createrole');
  await makeLogin(server, BYSTANDER, 'superuser');
  await server.query(`create database ${draft} owner ${OWNER}`);
  const orm = await MikroORM.init({
    clientUrl: databaseUrl(draft, OWNER),
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
  });
  await orm.migrator.up();
  await orm.close(true);
  await makeLogin(server, APP, 'in role kernel_app');
  await shareTables(draft);
  await server.query(`alter database ${draft} rename to ${TEMPLATE}`);
}

async function makeLogin(server: pg.Client, name: string, attributes: string): Promise<void> {
  const { rowCount } = await server.query('select from pg_roles where rolname = $1', [name]);
  if (!rowCount) {
    await server.query(`create role ${name} login password '${PASSWORD}' ${attributes}`);
  }
}

async function shareTables(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(database) });
  await client.connect();
  const grant = `alter default privileges for role ${BYSTANDER} grant`;
  await client.query(`${grant} select, insert, update, delete on tables to kernel_app`);
  await client.query(`${grant} usage on sequences to kernel_app`);
  await client.end();
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

function databaseUrl(name: string, user?: string): string {
  const url = new URL(process.env.TEST_POSTGRES_URL!);
  url.pathname = `/${name}`;
  return user ? Object.assign(url, { username: user, password: PASSWORD }).href : url.href;
}
