import { randomUUID } from 'node:crypto';
import type { BroadcastMiddleware } from '../../src/dispatch/broadcast-middleware.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { minuteAgo, REASON, runOperation } from './started-operation.js';

const eu = { type: TYPE, match: 'all', predicates: [{ path: '$.region', operator: 'equals', value: 'EU' }] };

/** Routes test data to no endpoint. */
const testData: BroadcastMiddleware = {
  name: 'test-data',
  broadcast: (event, next) => ('isTest' in event.payload ? Promise.resolve() : next()),
};

describe('replay missing', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start({
      role: 'all',
      operations: { batchSize: 2, pauseMs: 20 },
      broadcastMiddleware: [testData],
    });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(() => receiver.stop());
  afterAll(() => api.close());

  const endpoint = async (settings: object = {}) =>
    (await api.createEndpoint(tenantId, { url: receiver.url, isExternal: false, ...settings })).endpointId!;
  const routed = (count: number) =>
    waitFor(async () => {
      const rows = await api.kernel.database.query(
        `select from kernel_outbox_event where tenant_id = $1 and status = 'PUBLISHED'`,
        [tenantId],
      );
      return rows.length === count;
    }, `${count} routed events`);
  const publishAll = async (payloads: Record<string, unknown>[], event: object = {}) => {
    for (const payload of payloads) {
      await api.publish(tenantId, { payload, ...event });
    }
  };
  const count = async (endpointId: string) => {
    const order = { since: minuteAgo(), reason: REASON, dryRun: true };
    const { body } = await api.operator.post(`/endpoints/${endpointId}/replay-missing`, order).expect(200);
    return (body as { count: number }).count;
  };
  const replay = (endpointId: string) =>
    runOperation(api, `/endpoints/${endpointId}/replay-missing`, { since: minuteAgo() });
  const numbers = () => receiver.received.map(({ body }) => (body.payload as { n: number }).n);
  const enable = (endpointId: string, isEnabled: boolean) =>
    api.operator.patch(`/endpoints/${endpointId}`, { isEnabled }).expect(200);

  it('creates what met a disabled endpoint, or no endpoint at all, and nothing a second time', async () => {
    await publishAll([{ n: 1 }, { n: 2 }]);
    await routed(2);
    const endpointId = await endpoint({ isEnabled: false });
    await publishAll([{ n: 3 }]);
    await routed(3);
    await enable(endpointId, true);
    await publishAll([{ n: 4 }]);
    await receiver.receives(1);

    expect(await count(endpointId)).toBe(3);
    expect(await replay(endpointId)).toMatchObject({ state: 'completed', total: 3, done: 3, failed: 0, tenantId });
    await receiver.receives(4);
    expect(numbers().sort()).toEqual([1, 2, 3, 4]);
    expect(await count(endpointId)).toBe(0);
    expect(await replay(endpointId)).toMatchObject({ total: 0, done: 0 });
    const entries = (await api.ledger('routed-late')).filter((entry) => entry.tenant_id === tenantId);
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({
      ...{ actor: 'admin-token', reason: REASON, endpoint_id: endpointId, event_type: TYPE, trace_id: 'trace-0001' },
      detail: { operationId: expect.any(String) },
    });
  });

  it('[FR-005] asks the same judge as routing: types and predicates as they are now', async () => {
    const endpointId = await endpoint({ subscriptions: [eu] });
    await publishAll([
      { region: 'US', n: 1 },
      { region: 'EU', n: 2 },
      { region: 'US', n: 3 },
    ]);
    await publishAll([{ region: 'US', n: 4 }], { type: 'other.v1' });
    await routed(4);
    await receiver.receives(1);
    expect(await count(endpointId)).toBe(0);
    const us = { ...eu, predicates: [{ path: '$.region', operator: 'in', value: ['EU', 'US'] }] };
    await api.operator.patch(`/endpoints/${endpointId}`, { subscriptions: [us] }).expect(200);
    expect(await count(endpointId)).toBe(2);
    expect(await replay(endpointId)).toMatchObject({ total: 2, done: 2 });
    await receiver.receives(3);
    expect(numbers().sort()).toEqual([1, 2, 3]);
  });

  it('[KER-T] looks at the events of the endpoint’s tenant alone, also when an operator asks', async () => {
    const stranger = randomUUID();
    await api.publish(stranger, { payload: { n: 1 } });
    await publishAll([{ n: 2 }]);
    await routed(1);
    const endpointId = await endpoint();
    expect(await count(endpointId)).toBe(1);
    expect(await replay(endpointId)).toMatchObject({ done: 1 });
    await receiver.receives(1);
    expect(numbers()).toEqual([2]);
  });

  it('leaves alone what a middleware kept from going out', async () => {
    const endpointId = await endpoint({ isEnabled: false });
    await publishAll([{ isTest: true }, { n: 1 }]);
    await routed(2);
    await enable(endpointId, true);
    expect(await replay(endpointId)).toMatchObject({ total: 1, done: 1 });
    await receiver.receives(1);
    expect(numbers()).toEqual([1]);
  });

  it('waits, parked, while the endpoint is disabled', async () => {
    const endpointId = await endpoint({ isEnabled: false });
    await publishAll([{ n: 1 }]);
    await routed(1);
    await replay(endpointId);
    const { body } = await api.operator.get('/deliveries', { endpointId }).expect(200);
    expect(body.items).toMatchObject([{ status: 'PENDING', isParked: true, attempts: 0 }]);
    await enable(endpointId, true);
    await receiver.receives(1);
  });

  it('[KER-2.3] catches an ordered endpoint up in the order of its streams, with no gap in the numbers', async () => {
    const endpointId = await endpoint({ ordering: 'stream' });
    const both = async (n: number) => {
      await publishAll([{ n }], { streamKey: 's:1' });
      await publishAll([{ n }], { streamKey: 's:2' });
    };
    await both(1);
    await receiver.receives(2);
    await enable(endpointId, false);
    await both(2);
    await both(3);
    await both(4);
    await routed(8);
    await enable(endpointId, true);
    expect(await replay(endpointId)).toMatchObject({ done: 6 });
    await receiver.receives(8);
    await both(5);
    await receiver.receives(10);
    for (const stream of ['s:1', 's:2']) {
      const seen = receiver.received
        .filter(({ headers }) => headers['x-kernel-stream-key'] === stream)
        .map(({ headers }) => [headers['x-kernel-previous-sequence'], headers['x-kernel-stream-sequence']]);
      expect(seen).toEqual([
        [undefined, '1'],
        ['1', '2'],
        ['2', '3'],
        ['3', '4'],
        ['4', '5'],
      ]);
    }
  });

  it('[KER-2.3] a gap that is filled late comes late, and names no number before it', async () => {
    const endpointId = await endpoint({ ordering: 'stream' });
    await publishAll([{ n: 1 }]);
    await receiver.receives(1);
    await enable(endpointId, false);
    await publishAll([{ n: 2 }]);
    await routed(2);
    await enable(endpointId, true);
    await publishAll([{ n: 3 }]);
    await receiver.receives(2);
    await replay(endpointId);
    await receiver.receives(3);
    await publishAll([{ n: 4 }]);
    await receiver.receives(4);
    const seen = receiver.received.map(({ headers }) => [
      headers['x-kernel-previous-sequence'],
      headers['x-kernel-stream-sequence'],
    ]);
    expect(seen).toEqual([
      [undefined, '1'],
      ['1', '3'],
      [undefined, '2'],
      ['3', '4'],
    ]);
  });

  it('ends as failed when the endpoint is deleted under way', async () => {
    const endpointId = await endpoint({ isEnabled: false });
    const operationId = randomUUID();
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    await api.kernel.database.query(
      `insert into kernel_operation (operation_id, kind, tenant_id, endpoint_id, filter, reason, actor, trace_id, total)
       values ($1, 'replay-missing', $2, $3, jsonb_build_object('since', now()), 'r', 'a', 'trace-0001', 3)`,
      [operationId, tenantId, endpointId],
    );
    const { body } = await waitFor(async () => {
      const answer = await api.operator.get(`/operations/${operationId}`).expect(200);
      return answer.body.state === 'failed' && answer;
    }, 'failure');
    expect(body).toMatchObject({ done: 0, failed: 3, lastError: 'the endpoint was deleted' });
  });
});
