import { waitFor } from '@kernel/eventbus/testing';
import { sql, type Kysely } from 'kysely';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { engineDatabase } from '@kernel/runtime';

/** Not a whole number of seconds, which PostgreSQL shows in another unit. */
const DEADLINE_MS = 6_500;
const IDLE_MS = 9_500;

interface Limits {
  isolation: string;
  statement: string;
  idle: string;
}

async function limitsOf(db: Kysely<unknown>): Promise<Limits> {
  const { rows } = await sql<Limits>`
    select current_setting('transaction_isolation') as isolation, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle
  `.execute(db);
  return rows[0]!;
}

describe("the engine's way to the database", () => {
  let api: KernelApp;
  let proxy: DatabaseProxy;
  let kernel: KernelApp;
  beforeEach(async () => {
    api = await startKernelApp({ role: 'api' });
    const { database } = api;
    await database.query(
      `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_isolation = 'serializable'`,
    );
    proxy = await DatabaseProxy.start(database.appUrl);
    kernel = await startKernelApp({ role: 'api', database: proxy.behind(database, { pool: { max: 1 } }) });
  });
  afterEach(async () => {
    proxy.cut();
    await kernel.close();
    await api.close();
    await proxy.close();
  });

  const engine = (idleMs = IDLE_MS) => engineDatabase(kernel.em, DEADLINE_MS, idleMs);

  it('has limits on the server, and READ COMMITTED, in a transaction and for a statement alone', async () => {
    const limits = { isolation: 'read committed', statement: `${DEADLINE_MS}ms`, idle: `${IDLE_MS}ms` };
    expect(await engine().transaction().execute(limitsOf)).toEqual(limits);
    expect(await limitsOf(engine())).toEqual(limits);
    // The host's own transactions keep the host's settings.
    const host = await kernel.em.fork().transactional((em) => limitsOf(em.getKysely()));
    expect(host).toEqual({ isolation: 'serializable', statement: '0', idle: '0' });
  });

  it('does not hand on a connection whose transaction could not be begun', async () => {
    await expect(limitsOf(engine(-1))).rejects.toThrow('idle_in_transaction_session_timeout');
    await expect(engine(-1).transaction().execute(limitsOf)).rejects.toThrow('idle_in_transaction_session_timeout');
    expect(
      await kernel.em
        .fork()
        .getKysely()
        .executeQuery(sql`select 1 as one`.compile(kernel.em.getKysely())),
    ).toEqual(expect.objectContaining({ rows: [{ one: 1 }] }));
  });

  it('leaves no lock behind on the server when its connection goes silent in a transaction', async () => {
    const { database } = api;
    await database.query(`insert into kernel_worker (worker_id) values ('a')`);
    const lost = engine()
      .transaction()
      .execute(async (trx) => {
        await sql`update kernel_worker set heartbeat_at = now()`.execute(trx);
        proxy.silenceOpenConnections();
        await sql`select 1`.execute(trx);
      });
    await expect(lost).rejects.toThrow(`within ${DEADLINE_MS} ms`);
    await waitFor(
      async () => (await database.query('select from kernel_worker for update skip locked')).length === 1,
      'the server to end the transaction',
    );
    // Its place in the pool is free again.
    expect(await limitsOf(engine())).toMatchObject({ isolation: 'read committed' });
  });
});
