import { randomUUID } from 'node:crypto';
import { EventBusHealthModule } from '../../src/health/eventbus-health.module.js';
import { kernelMigrations } from '@kernel/eventbus';
import { ProblemFilter } from '@kernel/http';
import { Migrator } from '@mikro-orm/migrations';
import request from 'supertest';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

describe('health', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });

  function start(ormOptions: object = {}, options: KernelAppOptions = {}): Promise<KernelApp> {
    return startKernelApp({
      role: 'api',
      ...options,
      database: { ...database, ormOptions: { ...database.ormOptions, ...ormOptions } },
      imports: [EventBusHealthModule],
      configure: (app) => app.useGlobalFilters(new ProblemFilter()),
    });
  }
  const get = (kernel: KernelApp, path: string) => request(kernel.app.getHttpServer()).get(path);

  const withMigrator = {
    extensions: [Migrator],
    migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
  };

  it.each([
    ['with the Migrator', withMigrator],
    ['without the Migrator', {}],
  ])('is ready when the database answers and every migration is applied, %s', async (_, ormOptions) => {
    const kernel = await start(ormOptions);
    const { body } = await get(kernel, '/health/ready')
      .expect(200)
      .expect('cache-control', /no-store/);
    expect(body).toMatchObject({
      status: 'degraded',
      details: {
        database: { status: 'up' },
        migrations: { status: 'up' },
        workers: { status: 'degraded', message: expect.stringContaining('no worker') },
        backlog: { status: 'up' },
      },
    });
    await get(kernel, '/health/live').expect(200);
    await kernel.close();
    await database.drop();
  });

  it('is not ready while a migration is pending, and names it', async () => {
    const kernel = await start(withMigrator);
    await database.query(`delete from mikro_orm_migrations where name like '%admin-token'`);
    const { body } = await get(kernel, '/health/ready').expect(503);
    expect(body).toMatchObject({
      status: 'error',
      error: { migrations: { status: 'down', message: 'pending: 20261116000006-admin-token' } },
      info: { database: { status: 'up' } },
    });
    await get(kernel, '/health/live').expect(200);
    await kernel.close();
    await database.drop();
  });

  it('without the Migrator is not ready while a table is missing, and names it', async () => {
    const kernel = await start();
    await database.query('drop table kernel_admin_token');
    const { body } = await get(kernel, '/health/ready').expect(503);
    expect(body.error).toMatchObject({ migrations: { status: 'down', message: 'pending: kernel_admin_token' } });
    await kernel.close();
    await database.drop();
  });

  it('is not ready, but alive, when the database is gone, and tells nothing of where it was', async () => {
    const kernel = await start();
    await database.drop();
    const { body, text } = await get(kernel, '/health/ready').expect(503);
    expect(body.error).toMatchObject({ database: { status: 'down' }, migrations: { status: 'down' } });
    expect(text).not.toContain(new URL(database.url).pathname.slice(1));
    await get(kernel, '/health/live').expect(200);
    await kernel.close();
  });

  it('is ok while a worker lives and nothing has been due for long', async () => {
    const kernel = await start({}, { role: 'worker', heartbeat: { silentMs: 120_000 } });
    const { body } = await get(kernel, '/health/ready').expect(200);
    expect(body).toMatchObject({
      status: 'ok',
      details: {
        workers: { status: 'up', live: 1 },
        backlog: { status: 'up', events: 0, deliveries: 0, lanes: 0, suspects: 0 },
      },
    });
    await database.query(`insert into kernel_worker values ('late', now(), now() - interval '60 seconds')`);
    await get(kernel, '/health/ready')
      .expect(200)
      .expect(({ body }) => expect(body.status).toBe('ok'));
    await kernel.close();
    await database.drop();
  });

  describe('shows as degraded, with 200,', () => {
    const tenantId = randomUUID();
    const long = `clock_timestamp() - interval '61 seconds'`;
    let kernel: KernelApp;
    beforeEach(async () => {
      kernel = await start();
      // Its heartbeat stays fresh during the test, however long that takes.
      await database.query(`insert into kernel_worker values ('elsewhere', now(), now() + interval '1 hour')`);
    });
    afterEach(async () => {
      await kernel.close();
      await database.drop();
    });
    const ready = async () =>
      (await get(kernel, '/health/ready').expect(200)).body as { status: string; details: object };

    it('a worker that fell silent', async () => {
      expect(await ready()).toMatchObject({ status: 'ok' });
      await database.query(`insert into kernel_worker values ('dead', now(), ${long})`);
      expect(await ready()).toMatchObject({
        status: 'degraded',
        details: { workers: { status: 'degraded', live: 1, silent: 1 } },
      });
    });

    it('an event that nobody routes', async () => {
      await database.query(
        `insert into kernel_outbox_event
           (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, created_at)
         values ($1, $1, 's', 't.v1', now(), 'trace-0001', '{}', 'hash', ${long})`,
        [tenantId],
      );
      expect(await ready()).toMatchObject({
        status: 'degraded',
        details: { backlog: { status: 'degraded', message: 'due for more than 60000 ms: events', deliveries: 0 } },
      });
    });

    const addLate = (endpointId: string, laneId: string | null) =>
      database.query(
        `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id,
           next_attempt_at, dispatched_at, lane_id, stream_sequence)
         values (gen_random_uuid(), $2, $1, gen_random_uuid(), 't.v1', 'trace-0001', ${long}, now(), $3, 1)`,
        [endpointId, tenantId, laneId],
      );

    it('a delivery and a lane that nobody sends, unless a circuit is open or it is parked', async () => {
      const endpointId = randomUUID();
      await addLate(endpointId, null);
      await addLate(endpointId, endpointId);
      // The lane became ready just now, as after every few deliveries; its head has waited for longer.
      await database.query(
        `insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, ready_at)
         values ($1, $2, $1, 's', 1, now())`,
        [endpointId, tenantId],
      );
      const { status, details } = await ready();
      expect(status).toBe('degraded');
      expect(details).toMatchObject({ backlog: { message: 'due for more than 60000 ms: deliveries, lanes' } });

      await database.query(`update kernel_lane set is_parked = true`);
      expect(await ready()).toMatchObject({
        details: { backlog: { message: expect.stringMatching(/: deliveries$/) } },
      });
      await database.query(
        `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at) values ($1, $1, now())`,
        [endpointId],
      );
      expect(await ready()).toMatchObject({ status: 'ok' });

      await database.query('update kernel_webhook_delivery set is_suspect = true where lane_id is null');
      expect(await ready()).toMatchObject({
        details: { backlog: { message: 'due for more than 60000 ms: suspects', deliveries: 0 } },
      });
    });
  });
});
