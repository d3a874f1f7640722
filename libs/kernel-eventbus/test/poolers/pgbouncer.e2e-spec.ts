import { randomUUID } from 'node:crypto';
import { migrate } from '../../src/runtime/migrate.js';
import { RetryableTransactionError } from '../../src/eventbus.errors.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { kernelMigrations } from '@kernel/migrations';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '@kernel/test-support/kernel-app';
import { describeWithPgBouncer, PgBouncer } from '@kernel/test-support/pgbouncer';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { CollectedWarnings } from './collected-warnings.js';
import { Relay } from './relay.js';

const TYPE = 'order.placed.v1';
const TRANSACTIONS = 240;
const CALLERS = 12;

describeWithPgBouncer('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer;
  let receiver: WebhookReceiver;
  let log: CollectedWarnings;
  let relay: Relay;
  const started: KernelApp[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    await database.query('create table test_order (id uuid primary key)');
    bouncer = await PgBouncer.start({ poolSize: 4, logins: [database.appUrl, database.url] });
    relay = await Relay.start(Number(new URL(database.appUrl).port));
    receiver = await WebhookReceiver.start();
    log = new CollectedWarnings();
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((kernel) => kernel.close()));
    await receiver.stop();
    await relay.stop();
    await bouncer.stop();
    await database.drop();
  });

  const start = async (options: KernelAppOptions = {}, clientUrl = bouncer.through(database.appUrl)) => {
    const kernel = await startKernelApp({
      database: { ...database, ormOptions: { ...database.ormOptions, clientUrl } },
      configure: (app) => app.useLogger(log),
      ...options,
    });
    started.push(kernel);
    return kernel;
  };

  const startWithEndpoints = async (options: KernelAppOptions = {}, clientUrl?: string) => {
    const kernel = await start(options, clientUrl);
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE] });
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE], ordering: 'stream' });
    return { kernel, tenantId };
  };

  /** Concurrent transactions, each with the caller's state and one to three events. Returns the errors. */
  const publishMany = async (kernel: KernelApp, tenantId: string): Promise<unknown[]> => {
    const waiting = Array.from({ length: TRANSACTIONS }, (_, place) => place);
    const failed: unknown[] = [];
    const eventOf = (place: number) => ({
      ...{ type: TYPE, tenantId, streamKey: `stream:${place % 8}`, traceId: 'trace-0001' },
      // Events with an id of the caller are looked up before they are written.
      ...(place % 4 === 0 && { eventId: randomUUID() }),
    });
    const call = async () => {
      for (let place; (place = waiting.pop()) !== undefined;) {
        const events = Array.from({ length: 1 + (place % 3) }, () => eventOf(place));
        await kernel.em
          .fork()
          .transactional(async (em) => {
            await em.execute('insert into test_order (id) values (?)', [randomUUID()]);
            await kernel.outbox.publishAll(events, { em });
          })
          .catch((error: unknown) => failed.push(error));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    return failed;
  };

  const countOf = async (table: string, condition = 'true') => {
    const sql = `select count(*)::int as count from ${table} where ${condition}`;
    return (await database.query<{ count: number }>(sql))[0]!.count;
  };

  /** Waits until every stored event is delivered to both endpoints. */
  const everythingDelivered = () =>
    waitFor(async () => {
      const delivered = await countOf('kernel_webhook_delivery', `status = 'DELIVERED'`);
      return delivered === 2 * (await countOf('kernel_outbox_event')) || undefined;
    }, 'every event delivered to each endpoint');

  it('no transaction of a caller fails, everything is delivered, and one warning names the option', async () => {
    const { kernel, tenantId } = await startWithEndpoints({ deduplication: { scope: 'tenant' } });
    expect(await publishMany(kernel, tenantId)).toEqual([]);
    expect(await countOf('test_order')).toBe(TRANSACTIONS);
    expect(await countOf('kernel_outbox_event')).toBe(2 * TRANSACTIONS);
    await everythingDelivered();
    expect(log.ofPreparedStatements).toHaveLength(1);
    expect(log.errors).toEqual([]);
  });

  it('a worker that cannot LISTEN finds what another process publishes', async () => {
    const { kernel, tenantId } = await startWithEndpoints({ role: 'api' });
    await start({ role: 'worker' });
    expect(await publishMany(kernel, tenantId)).toEqual([]);
    await everythingDelivered();
    expect(log.errors).toEqual([]);
  });

  it('nothing is prepared, and no warning given, where preparedStatements is false', async () => {
    const { kernel, tenantId } = await startWithEndpoints({ preparedStatements: false });
    expect(await publishMany(kernel, tenantId)).toEqual([]);
    await everythingDelivered();
    expect(log.ofPreparedStatements).toEqual([]);
  });

  it('where preparedStatements is true by mistake, they are given up with one warning', async () => {
    const { kernel, tenantId } = await startWithEndpoints({ preparedStatements: true });
    // Interrupted transactions of callers can be retried; later ones do not fail.
    for (const failure of await publishMany(kernel, tenantId)) {
      expect(failure).toBeInstanceOf(RetryableTransactionError);
    }
    expect(log.ofPreparedStatements).toHaveLength(1);
    expect(await publishMany(kernel, tenantId)).toEqual([]);
    await everythingDelivered();
    expect(log.ofPreparedStatements).toHaveLength(1);
  });

  it('a database that moves behind a pooler is noticed before a transaction of a caller fails', async () => {
    const { kernel, tenantId } = await startWithEndpoints({}, relay.through(database.appUrl));
    const pool = await kernel.em.getConnection().getNativeClient();
    expect(await publishMany(kernel, tenantId)).toEqual([]);
    await everythingDelivered();
    expect(await namesKnownTo(pool)).toContainEqual(expect.stringMatching(/^kernel_/));
    expect(log.ofPreparedStatements).toEqual([]);

    const before = pool.totalCount;
    let removed = 0;
    pool.on('remove', () => removed++);
    relay.moveTo(bouncer.port);
    await waitFor(() => removed >= before || undefined, 'the connections from before are gone');

    expect(await publishMany(kernel, tenantId)).toEqual([]);
    expect(await countOf('kernel_outbox_event')).toBe(4 * TRANSACTIONS);
    await everythingDelivered();
    expect(log.ofPreparedStatements).toHaveLength(1);
  });

  it.each([1, 3])('migrations are applied once, with %s connections to the server', async (poolSize) => {
    const fresh = `fresh_${randomUUID().replaceAll('-', '')}`;
    await database.query(`create database ${fresh}`);
    const narrow = await PgBouncer.start({ poolSize, logins: [database.url] });
    const clientUrl = narrow.through(Object.assign(new URL(database.url), { pathname: `/${fresh}` }).href);
    const open = () =>
      MikroORM.init({
        clientUrl,
        entities: [],
        discovery: { warnWhenNoEntities: false },
        extensions: [Migrator],
        migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
      });
    const orms = await Promise.all(Array.from({ length: 4 }, open));
    try {
      await Promise.all(orms.map((orm) => migrate(orm)));
      const applied = await orms[0]!.em.execute<{ name: string }[]>('select name from mikro_orm_migrations');
      expect(new Set(applied.map(({ name }) => name)).size).toBe(kernelMigrations.length);
      expect(applied).toHaveLength(kernelMigrations.length);
    } finally {
      await Promise.all(orms.map((orm) => orm.close(true)));
      await narrow.stop();
      await database.query(`drop database ${fresh} with (force)`);
    }
  });
});

/** Prepared statements in the sessions of the idle connections. */
async function namesKnownTo(pool: pg.Pool): Promise<string[]> {
  const connections = await Promise.all(Array.from({ length: pool.idleCount }, () => pool.connect()));
  const names: string[] = [];
  for (const connection of connections) {
    const { rows } = await connection.query<{ name: string }>('select name from pg_prepared_statements');
    names.push(...rows.map(({ name }) => name));
    connection.release();
  }
  return names;
}
