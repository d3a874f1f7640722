import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';

const directory = mkdtempSync('/tmp/probe-pg-');
const server = await startEmbeddedPostgres({ directory, settings: { fsync: 'off' } });
process.env.PGAPPNAME = 'victim';
const orm = await MikroORM.init({ clientUrl: server.url, entities: [], discovery: { warnWhenNoEntities: false } });
const admin = new pg.Client({ connectionString: server.url, application_name: 'admin' });
await admin.connect();
await admin.query('create table t (n int)');
if (process.argv[3]) { const { letGoOfDeadConnections } = await import('/tmp/guard.ts'); letGoOfDeadConnections(await (orm.em.getConnection() as any).getNativeClient()); }
let stop = false;
let states: string[] = [];
const mode = process.argv[2] ?? 'mikro';
const client = async (i: number) => {
  while (!stop) {
    try {
      if (mode === 'mikro') {
        await orm.em.fork().transactional(async (em) => {
          states[i] = 'in';
          await em.execute('insert into t values (1)');
          states[i] = 'between';
          await delay(2);
          await em.execute('insert into t values (1)');
          states[i] = 'committing';
          if (Math.random() < 0.3) throw new Error('on purpose');
        });
      } else {
        await (orm.em.fork().getKysely() as any).transaction().execute(async (trx: any) => {
          const { sql } = await import('kysely');
          states[i] = 'in';
          await sql`insert into t values (1)`.execute(trx);
          await delay(2);
          await sql`insert into t values (1)`.execute(trx);
          states[i] = 'committing';
        });
      }
      states[i] = 'done';
    } catch (e) { states[i] = 'caught ' + (e as Error).message; await delay(20); }
  }
  states[i] = 'stopped';
};
const clients = Promise.all([0, 1, 2, 3].map(client));
for (let r = 0; r < 150; r++) {
  await delay(30 + Math.random() * 60);
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim' and random() < 0.5`);
}
stop = true;
await Promise.race([clients, delay(5000)]);
const pool = await (orm.em.getConnection() as any).getNativeClient();
console.log(mode, states, { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });
const closed = await Promise.race([orm.close(true).then(() => 'closed'), delay(5000, 'HANGS')]);
console.log(closed);
await admin.end();
await server.stop(); rmSync(directory, { recursive: true });
process.exit();
