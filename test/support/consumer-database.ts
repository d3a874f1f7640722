import { randomBytes } from 'node:crypto';
import { inboxEntities, inboxMigrations } from '@kernel/inbox';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';

export interface ConsumerDatabase {
  url: string;
  orm: MikroORM;
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** The database of a consumer: the inbox table, a table for effects, no kernel tables. */
export async function createConsumerDatabase(): Promise<ConsumerDatabase> {
  const name = `consumer_${randomBytes(6).toString('hex')}`;
  const server = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = Object.assign(new URL(process.env.TEST_POSTGRES_URL!), { pathname: `/${name}` }).href;
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: inboxEntities,
    extensions: [Migrator],
    migrations: { migrationsList: inboxMigrations, snapshot: false, silent: true },
    pool: { min: 0, max: 10 },
  });
  await orm.migrator.up();
  const query: ConsumerDatabase['query'] = (sql, values) => orm.em.fork().getConnection().execute(sql, values);
  await query('create table effect (effect_id serial primary key, event_id uuid not null)');
  return {
    url,
    orm,
    query,
    drop: async () => {
      await orm.close(true);
      await server.query(`drop database ${name} with (force)`);
      await server.end();
    },
  };
}
