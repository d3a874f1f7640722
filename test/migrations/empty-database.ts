import { randomBytes } from 'node:crypto';
import { kernelMigrations } from '@kernel/migrations';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

export interface EmptyDatabase {
  url: string;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** A separate connection pool, as in another process; closed together with the database. */
  openOrm(): Promise<MikroORM>;
  drop(): Promise<void>;
}

/** A database without tables, as on the first start. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  const server = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await server.connect();
  await server.query(`create database ${name}`);

  const url = new URL(process.env.TEST_POSTGRES_URL!);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  // `drop ... with (force)` may hit a connection that is closing.
  pool.on('error', () => undefined);
  const orms: MikroORM[] = [];
  return {
    url: url.href,
    query: async (sql, values) => (await pool.query(sql, values)).rows as never,
    openOrm: async () => {
      const orm = await MikroORM.init({
        clientUrl: url.href,
        entities: [],
        discovery: { warnWhenNoEntities: false },
        extensions: [Migrator],
        migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
      });
      orms.push(orm);
      return orm;
    },
    drop: async () => {
      await Promise.all([...orms.map((orm) => orm.close(true)), pool.end()]);
      await server.query(`drop database ${name} with (force)`);
      await server.end();
    },
  };
}
