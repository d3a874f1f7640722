import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { describeWithPgBouncer, PgBouncer } from '@kernel/test-support/pgbouncer';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { EndpointVersions } from '../../src/worker/endpoint-versions.js';
import { type EndpointChange, WakeUp } from '../../src/runtime/wake-up.js';
import { AdminApi } from '@kernel/test-support/admin-api';
import { HangingReceiver } from './hanging-receiver.js';

type Connect = (database: TestDatabase) => Promise<{ clientUrl: string; stop(): Promise<void> }>;

const EVENTS = 6;
const PENDING = { status: 'PENDING', attempts: 0, dead_letter_reason: null, leased_by: null };
const DELETED = { status: 'DLQ', attempts: 0, dead_letter_reason: 'endpoint_deleted', leased_by: null };

/** The admin API in one process and the worker in another. */
function describeChanges(connect: Connect): void {
  let database: TestDatabase;
  let connection: Awaited<ReturnType<Connect>>;
  let api: AdminApi;
  let worker: KernelApp;
  let receiver: HangingReceiver;
  let tenantId: string;
  const heard: EndpointChange[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    connection = await connect(database);
    const ormOptions = { ...database.ormOptions, clientUrl: connection.clientUrl };
    const joined = { database: { ...database, ormOptions }, timeoutMs: 300_000, shutdownTimeoutMs: 1 };
    api = await AdminApi.start({ ...joined, role: 'api' });
    worker = await startKernelApp({ ...joined, role: 'worker', concurrency: 4 });
    heard.splice(0);
    worker.app.get(WakeUp).onEndpointChanged((change) => heard.push(change));
    receiver = await HangingReceiver.start();
    ({ tenantId } = await api.tenantAdmin());
  });
  afterEach(async () => {
    await worker.close();
    await api.close();
    await receiver.stop();
    await connection.stop();
    await database.drop();
  });

  /** An endpoint with as many requests in flight as it may have. */
  const inFlight = async (events: number, settings: { ordering?: string; maxInFlight?: number } = {}) => {
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url, timeoutMs: 300_000, ...settings });
    for (let n = 0; n < events; n++) {
      await api.publish(tenantId, { streamKey: `invoice:${n}` });
    }
    const count = Math.min(events, settings.maxInFlight ?? events);
    await waitFor(() => receiver.count === count, 'the requests to be in flight');
    return endpointId!;
  };
  const rowsAre = (expected: object[]) =>
    waitFor(
      async () => {
        const found = await database.query(
          `select status, attempts, dead_letter_reason, leased_by from kernel_webhook_delivery order by delivery_id`,
        );
        return JSON.stringify(found) === JSON.stringify(expected);
      },
      `deliveries like ${JSON.stringify(expected)}`,
    );
  const cut = (count: number) => waitFor(() => receiver.cut === count, 'the requests to be cut');

  it.each(['none', 'stream'])('deleting an endpoint aborts its requests, ordering %s', async (ordering) => {
    const endpointId = await inFlight(2, { ordering });
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    await cut(2);
    await rowsAre([DELETED, DELETED]);
  });

  it.each(['none', 'stream'])('disabling an endpoint aborts its requests, ordering %s', async (ordering) => {
    const endpointId = await inFlight(2, { ordering });
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    await cut(2);
    await rowsAre([PENDING, PENDING]);

    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);
    await waitFor(() => receiver.count === 4, 'the deliveries to be sent again');
  });

  it('deliveries that wait go to the new URL', async () => {
    const elsewhere = await WebhookReceiver.start();
    const endpointId = await inFlight(EVENTS, { maxInFlight: 2 });
    const changes = worker.app.get(EndpointVersions);
    const before = changes.count;
    await api.operator.patch(`/endpoints/${endpointId}`, { url: elsewhere.url }).expect(200);
    await waitFor(() => changes.hasChanged(endpointId, before), 'the worker to hear of it');
    receiver.answer();
    receiver.answer();
    await elsewhere.receives(EVENTS - 2);
    expect(receiver).toMatchObject({ count: 2, cut: 0 });
    await elsewhere.stop();
  });

  it('an endpoint that is disabled because it is gone keeps its requests', async () => {
    const endpointId = await inFlight(2);
    receiver.answer(410);
    // Once through the attempt and once through the notice of changes in other processes.
    await waitFor(() => heard.length >= 2, 'the worker to hear of it twice');
    expect(heard.map(({ endpointId, state }) => [endpointId, state])).not.toContainEqual([endpointId, 'disabled']);
    receiver.answer();
    await waitFor(async () => {
      const rows = await database.query<{ status: string }>('select status from kernel_webhook_delivery');
      return (
        rows
          .map(({ status }) => status)
          .sort()
          .join() === 'DELIVERED,DLQ'
      );
    }, 'both outcomes');
    expect(receiver.cut).toBe(0);
  });

  it('a change that is made while the listener is not connected is heard', async () => {
    const endpointId = await inFlight(1);
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %' and pid <> pg_backend_pid()`);
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    await cut(1);
    await rowsAre([DELETED]);
  });
}

describe('changes of endpoints in another process', () => {
  describeChanges((database) => Promise.resolve({ clientUrl: database.appUrl, stop: () => Promise.resolve() }));
});

describeWithPgBouncer('changes of endpoints in another process, behind PgBouncer in transaction mode', () => {
  describeChanges(async (database) => {
    const bouncer = await PgBouncer.start({ poolSize: 8, logins: [database.appUrl, database.url] });
    return { clientUrl: bouncer.through(database.appUrl), stop: () => bouncer.stop() };
  });
});
