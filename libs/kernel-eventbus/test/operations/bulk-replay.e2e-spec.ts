import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { minuteAgo, REASON, runOperation, startOperation } from './started-operation.js';

describe('bulk replay', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', operations: { batchSize: 2, pauseMs: 20 } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(() => receiver.stop());
  afterAll(() => api.close());

  const endpoint = async (settings: object = {}) =>
    (await api.createEndpoint(tenantId, { url: receiver.url, isExternal: false, ...settings })).endpointId!;
  const deliveries = (condition = 'true') =>
    api.kernel.database.query<Record<string, unknown>>(
      `select delivery_id, status, attempts, is_parked from kernel_webhook_delivery
       where tenant_id = $1 and ${condition} order by stream_sequence, delivery_id`,
      [tenantId],
    );
  const settled = (status: string, count: number) =>
    waitFor(async () => (await deliveries(`status = '${status}'`)).length === count, `${count} ${status}`);
  const replayedIds = async () =>
    (await api.ledger('replayed')).filter((entry) => entry.tenant_id === tenantId).map((entry) => entry.delivery_id);
  const numbers = () => receiver.received.map(({ body }) => (body.payload as { n: number }).n);
  const publishMany = async (count: number, event: object = {}) => {
    for (let n = 1; n <= count; n++) {
      await api.publish(tenantId, { payload: { n }, ...event });
    }
  };

  it('[ADR-10] replays the dead letters of one error class, and lists them', async () => {
    receiver.answers(422);
    const endpointId = await endpoint();
    await publishMany(1);
    await settled('DLQ', 1);
    const { body: list } = await api.operator.get('/deliveries', { endpointId }).expect(200);
    const errorClass = list.items[0].errorClass as string;
    const count = async (wanted: string) => {
      const filter = { status: 'DLQ', endpointId, errorClass: wanted };
      const order = { filter, reason: REASON, dryRun: true };
      return (await api.operator.post('/deliveries/replay', order).expect(200)).body.count as number;
    };
    expect([await count(errorClass), await count('other')]).toEqual([1, 0]);
    const found = async (wanted: string) =>
      (await api.operator.get('/deliveries', { endpointId, errorClass: wanted }).expect(200)).body.items
        .length as number;
    expect([await found(errorClass), await found('other')]).toEqual([1, 0]);

    // Without an error class (nothing was sent), the dead-letter reason is used.
    await api.kernel.database.query(
      `update kernel_webhook_delivery set error_class = null, dead_letter_reason = 'some_reason' where tenant_id = $1`,
      [tenantId],
    );
    expect([await count(errorClass), await count('some_reason'), await found('some_reason')]).toEqual([0, 1, 1]);
    const filter = { status: 'DLQ', endpointId, errorClass: 'some_reason' };
    expect(await runOperation(api, '/deliveries/replay', { filter })).toMatchObject({ state: 'completed', done: 1 });
  });

  it('[ADR-10] [KER-6e] recovers dead letters since a time, each once and each with its own entry', async () => {
    receiver.otherwise(422);
    const endpointId = await endpoint();
    await publishMany(5);
    await settled('DLQ', 5);
    await api.kernel.database.query(
      `update kernel_webhook_delivery set settled_at = settled_at - interval '1 day'
       where delivery_id = (select min(delivery_id::text)::uuid from kernel_webhook_delivery where tenant_id = $1)`,
      [tenantId],
    );
    receiver.otherwise(204);

    const operation = await runOperation(api, `/endpoints/${endpointId}/recover`, { since: minuteAgo() });
    expect(operation).toMatchObject({ kind: 'recover', state: 'completed', total: 4, done: 4, failed: 0, tenantId });
    await settled('DELIVERED', 4);
    expect(await deliveries(`status = 'DELIVERED' and attempts = 1`)).toHaveLength(4);
    const replayed = (await api.ledger('replayed')).filter((entry) => entry.tenant_id === tenantId);
    expect(new Set(replayed.map((entry) => entry.delivery_id)).size).toBe(4);
    for (const entry of replayed) {
      expect(entry).toMatchObject({
        ...{ actor: 'admin-token', reason: REASON, endpoint_id: endpointId, trace_id: 'trace-0001' },
        detail: { operationId: operation.operationId, previousStatus: 'DLQ', previousAttempts: 1 },
      });
    }
    const [ended] = (await api.ledger('operation-ended')).filter((entry) => entry.tenant_id === tenantId);
    expect(ended).toMatchObject({ actor: 'kernel', reason: REASON, detail: { state: 'completed', done: 4, total: 4 } });
  });

  it('sends what was delivered again to the filter’s endpoint alone, and never what another tenant has', async () => {
    const [wanted, other] = [await endpoint(), await endpoint()];
    const stranger = randomUUID();
    const { endpointId: foreign } = await api.createEndpoint(stranger);
    const untouched = await api.addDelivery(stranger, foreign!, 'DELIVERED');
    await publishMany(3);
    await settled('DELIVERED', 6);
    expect(await runOperation(api, '/deliveries/replay', { filter: { endpointId: wanted } })).toMatchObject({
      done: 3,
    });
    await waitFor(() => receiver.received.length === 9, 'three more webhooks');
    await settled('DELIVERED', 6);
    const again = await deliveries(`endpoint_id = '${wanted}'`);
    expect((await replayedIds()).sort()).toEqual(again.map(({ delivery_id }) => delivery_id).sort());
    expect(await deliveries(`endpoint_id = '${other}' and lease_epoch > 1`)).toEqual([]);
    expect(await runOperation(api, '/deliveries/replay', { filter: { tenantId } })).toMatchObject({ done: 6 });
    const { body } = await api.operator.get(`/deliveries/${untouched}`).expect(200);
    expect(body.status).toBe('DELIVERED');
  });

  it('two orders for the same do it once', async () => {
    const endpointId = await endpoint({ isEnabled: false });
    for (let n = 0; n < 5; n++) {
      await api.addDelivery(tenantId, endpointId, 'DLQ');
    }
    const order = () => startOperation(api, '/deliveries/replay', { filter: { endpointId } });
    const ids = await Promise.all([order(), order()]);
    const ended = await Promise.all(
      ids.map((id) =>
        waitFor(async () => {
          const { body } = await api.operator.get(`/operations/${id}`).expect(200);
          return body.finishedAt !== null && (body as { done: number; failed: number });
        }, 'both to end'),
      ),
    );
    expect(ended.reduce((sum, { done }) => sum + done, 0)).toBe(5);
    expect((await replayedIds()).length).toBe(5);
    expect(await deliveries('is_parked')).toHaveLength(5);
  });

  it('what cannot be had any more counts as failed', async () => {
    const [endpointId, gone] = [await endpoint({ isEnabled: false }), await endpoint({ isEnabled: false })];
    const first = await api.addDelivery(tenantId, endpointId, 'DLQ');
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    await api.addDelivery(tenantId, gone, 'DLQ');
    const { database } = api.kernel;
    const operationId = randomUUID();
    await database.query(
      `insert into kernel_operation (operation_id, kind, tenant_id, filter, reason, actor, trace_id, total, next_batch_at)
       values ($1, 'replay', $2, '{}', 'r', 'a', 'trace-0001', 3, clock_timestamp() + interval '1 hour')`,
      [operationId, tenantId],
    );
    await api.operator.post(`/deliveries/${first}/replay`, { reason: 'alone' }).expect(202);
    await api.operator.delete(`/endpoints/${gone}`).expect(204);
    await database.query('update kernel_operation set next_batch_at = now() where operation_id = $1', [operationId]);
    const { body } = await waitFor(async () => {
      const answer = await api.operator.get(`/operations/${operationId}`).expect(200);
      return answer.body.state === 'completed' && answer;
    }, 'completion');
    expect(body).toMatchObject({ total: 3, done: 1, failed: 2 });
  });

  it('a batch that fails is rolled back, tells why and is tried again', async () => {
    const endpointId = await endpoint({ isEnabled: false });
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    const { database } = api.kernel;
    await database.query(`
      create function refuse_replay() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
      create trigger refuse_replay before insert on kernel_ledger_entry for each row
        when (new.kind = 'replayed') execute function refuse_replay();
    `);
    const operationId = await startOperation(api, '/deliveries/replay', { filter: { endpointId } });
    const look = async () => (await api.operator.get(`/operations/${operationId}`).expect(200)).body as object;
    await waitFor(
      async () => (await database.query('select from kernel_operation where faults > 0')).length,
      'a fault',
    );
    expect(await look()).toMatchObject({ state: 'pending', done: 0, lastError: expect.stringContaining('no room') });
    expect(await deliveries(`status = 'DLQ'`)).toHaveLength(1);

    await database.query('drop function refuse_replay cascade');
    await database.query('update kernel_operation set next_batch_at = now(), faults = 9 where operation_id = $1', [
      operationId,
    ]);
    await waitFor(async () => ((await look()) as { state: string }).state === 'completed', 'completion');
    expect(await look()).toMatchObject({ done: 1, failed: 0 });
  });

  it('[KER-2.3] a blocked lane goes on: its dead letter first, then what waited, in order', async () => {
    receiver.answers(422);
    const endpointId = await endpoint({ ordering: 'stream' });
    await publishMany(4, { streamKey: 's:1' });
    await settled('DLQ', 1);
    await waitFor(async () => (await deliveries()).length === 4, 'all to be routed');
    await runOperation(api, `/endpoints/${endpointId}/recover`, { since: minuteAgo() });
    await settled('DELIVERED', 4);
    expect(numbers()).toEqual([1, 1, 2, 3, 4]);
  });

  it('[KER-2.3] [ADR-4] a stream that was delivered comes again in order; a failing head keeps its pauses', async () => {
    const retry = { initialDelayMs: 300_000, maxDelayMs: 300_000 };
    const endpointId = await endpoint({ ordering: 'stream', retry });
    await publishMany(6, { streamKey: 's:1' });
    await settled('DELIVERED', 6);
    receiver.answers(500);
    expect(await runOperation(api, '/deliveries/replay', { filter: { endpointId } })).toMatchObject({ done: 6 });
    await waitFor(() => receiver.received.length >= 7, 'the head');
    await waitFor(async () => (await deliveries(`status = 'FAILED'`)).length === 1, 'the head to fail');
    const [lane] = await api.kernel.database.query<{ waits: boolean }>(
      `select ready_at > clock_timestamp() + interval '1 minute' as waits from kernel_lane where endpoint_id = $1`,
      [endpointId],
    );
    expect(lane).toEqual({ waits: true });
    await api.kernel.database.query('update kernel_lane set ready_at = now() where endpoint_id = $1', [endpointId]);
    await settled('DELIVERED', 6);
    expect(numbers().slice(6)).toEqual([1, 1, 2, 3, 4, 5, 6]);
  });

  it('[ADR-4] the replay of one delivery leaves a failing head of its lane its pause too', async () => {
    const retry = { initialDelayMs: 300_000, maxDelayMs: 300_000 };
    const endpointId = await endpoint({ ordering: 'stream', retry });
    await publishMany(2, { streamKey: 's:1' });
    await settled('DELIVERED', 2);
    receiver.answers(500);
    await publishMany(1, { streamKey: 's:1' });
    await waitFor(async () => (await deliveries(`status = 'FAILED'`)).length === 1, 'the head to fail');
    const [delivered] = await deliveries(`status = 'DELIVERED'`);
    await api.operator.post(`/deliveries/${delivered!.delivery_id}/replay`, { reason: 'again' }).expect(202);
    const [lane] = await api.kernel.database.query<{ waits: boolean }>(
      `select ready_at > clock_timestamp() + interval '1 minute' as waits from kernel_lane where endpoint_id = $1`,
      [endpointId],
    );
    expect(lane).toEqual({ waits: true });
  });

  it('[ADR-12] leaves out what was delivered and is past its retention', async () => {
    const endpointId = await endpoint({ isEnabled: false });
    const old = new Date(Date.now() - 40 * 86_400_000);
    for (const status of ['DLQ', 'DELIVERED']) {
      const eventId = randomUUID();
      await api.kernel.database.query(
        `insert into kernel_outbox_event (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb,
           payload_hash, status, created_at) values ($1, $2, 's', $3, $4, 'trace-0001', '{}', 'h', 'PUBLISHED', $4)`,
        [eventId, tenantId, TYPE, old],
      );
      const deliveryId = await api.addDelivery(tenantId, endpointId, status);
      await api.kernel.database.query('update kernel_webhook_delivery set event_id = $2 where delivery_id = $1', [
        deliveryId,
        eventId,
      ]);
    }
    expect(await runOperation(api, '/deliveries/replay', { filter: { endpointId } })).toMatchObject({
      total: 1,
      done: 1,
    });
    expect(await deliveries(`status = 'DELIVERED'`)).toHaveLength(1);
  });
});
