import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { SlowReceiver } from '@kernel/test-support/slow-receiver';

/** Longer than any test: a failed delivery waits unless an action makes it due. */
const LONG_MS = 600_000;

describe('what a change of an ordered endpoint does to its lanes', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let tenantId: string;
  let other: pg.Client;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', retry: { initialDelayMs: LONG_MS, maxDelayMs: LONG_MS } });
    other = new pg.Client({ connectionString: api.kernel.database.url });
    await other.connect();
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(() => receiver.stop());
  afterAll(async () => {
    await other.end();
    await api.close();
  });

  const lane = async () => {
    const { body } = await api.operator.get('/lanes', { tenantId }).expect(200);
    return (body.items as { laneId: string; isParked: boolean; readyAt: string; waiting: number }[])[0]!;
  };
  const storedLane = async (laneId: string) => {
    const [row] = await api.kernel.database.query('select * from kernel_lane where lane_id = $1', [laneId]);
    return row!;
  };
  const makeDue = (laneId: string) =>
    api.kernel.database.query('update kernel_lane set ready_at = clock_timestamp() where lane_id = $1', [laneId]);
  const patch = (endpointId: string, changes: object) =>
    api.operator.patch(`/endpoints/${endpointId}`, changes).expect(200);
  const statuses = (endpointId: string) =>
    api.kernel.database.query<{ status: string; dead_letter_reason: string | null }>(
      `select status, dead_letter_reason from kernel_webhook_delivery
       where endpoint_id = $1 order by stream_sequence`,
      [endpointId],
    );
  const received = () => receiver.received.map(({ headers }) => headers['x-kernel-stream-sequence']);

  /** A lane whose head failed once and waits for its retry, with one more behind it. */
  async function waitingLane(): Promise<{ endpointId: string; laneId: string }> {
    receiver.answers(500);
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url, ordering: 'stream' });
    await api.publish(tenantId);
    await waitFor(async () => (await statuses(endpointId!))[0]?.status === 'FAILED', 'the head to fail');
    await api.publish(tenantId);
    const { laneId } = await waitFor(async () => ((await lane()).waiting === 2 ? lane() : undefined), 'the next one');
    return { endpointId: endpointId!, laneId };
  }

  it('[KER-2.3] disabling parks it: nothing of it is sent when its time comes; enabling sends it in order', async () => {
    const { endpointId, laneId } = await waitingLane();
    const deliveries = async () => {
      const { body } = await api.operator.get('/deliveries', { endpointId }).expect(200);
      return body.items as { status: string; attempts: number; isParked: boolean }[];
    };
    await patch(endpointId, { isEnabled: false });
    expect(await lane()).toMatchObject({ laneId, isParked: true, waiting: 2 });
    expect(await deliveries()).toMatchObject([
      { status: 'PENDING', attempts: 0, isParked: true },
      { status: 'FAILED', attempts: 1, isParked: true },
    ]);
    await makeDue(laneId);

    // A later delivery elsewhere proves that the worker could have sent this one.
    const witness = await WebhookReceiver.start();
    await api.createEndpoint(tenantId, { url: witness.url, ordering: 'stream', subscribedTypes: ['witness.v1'] });
    await api.publish(tenantId, { type: 'witness.v1', streamKey: 'witness' });
    await witness.receives(1);
    await witness.stop();
    expect(received()).toEqual(['1']);

    await patch(endpointId, { isEnabled: true });
    await receiver.receives(3);
    expect(received()).toEqual(['1', '1', '2']);
    expect(await storedLane(laneId)).toMatchObject({ is_parked: false });
    await waitFor(
      async () => (await deliveries()).every(({ status }) => status === 'DELIVERED'),
      'both to be recorded',
    );
    expect(await deliveries()).toMatchObject([
      { attempts: 1, isParked: false },
      { attempts: 2, isParked: false },
    ]);
  });

  it('enabling leaves a head that is not due yet for its time', async () => {
    const { endpointId } = await waitingLane();
    await patch(endpointId, { isEnabled: false });
    await patch(endpointId, { isEnabled: true });
    const { readyAt, isParked } = await lane();
    expect(isParked).toBe(false);
    expect(Date.parse(readyAt)).toBeGreaterThan(Date.now() + LONG_MS / 2);
  });

  it('disabling does not wait for a lane that somebody holds: the worker parks it when it is due', async () => {
    const { endpointId, laneId } = await waitingLane();
    await other.query('begin');
    await other.query('select from kernel_lane where lane_id = $1 for update', [laneId]);
    await patch(endpointId, { isEnabled: false });
    expect(await lane()).toMatchObject({ isParked: false });
    await other.query('rollback');

    await makeDue(laneId);
    await waitFor(async () => (await lane()).isParked, 'the worker to park the lane');
    expect(received()).toEqual(['1']);
  });

  it('[KER-2.3] switching it off and on while it is delivered to keeps the order and loses nothing', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { url: receiver.url, ordering: 'stream' });
    const [streams, length] = [40, 15];
    const events = Array.from({ length: streams * length }, (_, n) => ({
      tenantId,
      type: TYPE,
      streamKey: `s:${n % streams}`,
      traceId: 'trace-0001',
    }));
    await api.kernel.em.fork().transactional((em) => api.kernel.outbox.publishAll(events, { em }));
    const count = async (condition: string) =>
      (
        await api.kernel.database.query(`select from kernel_webhook_delivery where endpoint_id = $1 and ${condition}`, [
          endpointId,
        ])
      ).length;
    await waitFor(async () => (await count('true')) === events.length, 'all events to be routed');

    let switches = 0;
    while ((await count(`status <> 'DELIVERED'`)) > 0 && switches < 200) {
      await patch(endpointId!, { isEnabled: false });
      await patch(endpointId!, { isEnabled: true });
      switches += 1;
    }
    expect(switches).toBeGreaterThan(0);
    await waitFor(async () => (await count(`status = 'DELIVERED'`)) === events.length, 'everything to be delivered');

    const sequences = Map.groupBy(receiver.received, ({ headers }) => headers['x-kernel-stream-key'] as string);
    const upTo = Array.from({ length }, (_, n) => String(n + 1));
    expect(sequences.size).toBe(streams);
    for (const webhooks of sequences.values()) {
      const sent = webhooks.map(({ headers }) => headers['x-kernel-stream-sequence']);
      // A request that is aborted because the endpoint is disabled is sent again, before the rest of its lane.
      expect(sent.filter((sequence, place) => sequence !== sent[place - 1])).toEqual(upTo);
    }
  });

  it('deleting ends what is in it and takes it out', async () => {
    const { endpointId, laneId } = await waitingLane();
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    const ended = { status: 'DLQ', dead_letter_reason: 'endpoint_deleted' };
    expect(await statuses(endpointId)).toMatchObject([ended, ended]);
    expect(await storedLane(laneId)).toMatchObject({ ready_at: null, blocked_by: null, is_parked: false });
    expect(await lane()).toBeUndefined();
    await api.operator.post(`/lanes/${laneId}/skip`, { reason: 'too late' }).expect(404);
  });

  it('deleting while its head is in flight sends nothing more of it', async () => {
    const answered = Promise.withResolvers<void>();
    const slow = await SlowReceiver.start(answered.promise);
    const { endpointId } = await api.createEndpoint(tenantId, { url: slow.url, ordering: 'stream' });
    const event = { tenantId, type: TYPE, streamKey: 's', traceId: 'trace-0001' };
    await api.kernel.em.fork().transactional((em) => api.kernel.outbox.publishAll([event, event], { em }));
    await slow.isAsked;
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);
    answered.resolve();

    const attempts = async () => {
      const { body } = await api.operator.get('/audit', { endpointId: endpointId!, kind: 'attempt' }).expect(200);
      return body.items as unknown[];
    };
    await waitFor(async () => (await attempts()).length > 0, 'the attempt to be noted');
    const ended = { status: 'DLQ', dead_letter_reason: 'endpoint_deleted' };
    expect(await statuses(endpointId!)).toMatchObject([ended, ended]);
    expect(await attempts()).toHaveLength(1);
    await slow.stop();
  });

  it.each([
    ['blocked', { blocked_by: randomUUID() }],
    ['parked', { is_parked: true }],
  ])('deleting waits for a router that has a %s lane in its hands, and ends what it routed', async (_, state) => {
    const { endpointId } = await api.createEndpoint(tenantId, { ordering: 'stream', subscribedTypes: ['other.v1'] });
    const laneId = await api.addLane(tenantId, endpointId!);
    await api.kernel.database.query('update kernel_lane set blocked_by = $2, is_parked = $3 where lane_id = $1', [
      laneId,
      'blocked_by' in state ? state.blocked_by : null,
      'is_parked' in state,
    ]);
    const { eventId } = await api.publish(tenantId);
    await other.query('begin');
    await other.query('update kernel_lane set last_sequence = 2, wake_count = wake_count + 1 where lane_id = $1', [
      laneId,
    ]);
    await other.query(
      `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id,
         stream_sequence, lane_id, next_attempt_at, dispatched_at)
       values ($1, $2, $3, $4, $5, 'trace-0001', 2, $6, clock_timestamp(), clock_timestamp())`,
      [uuidv7(), tenantId, endpointId, eventId, TYPE, laneId],
    );
    const deleted = api.operator.delete(`/endpoints/${endpointId}`).expect(204).then();
    await waitFor(
      async () =>
        (
          await api.kernel.database.query(
            `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
        ).length > 0,
      'the deletion to wait',
    );
    await other.query('commit');
    await deleted;
    expect(await statuses(endpointId!)).toMatchObject([{ status: 'DLQ', dead_letter_reason: 'endpoint_deleted' }]);
    expect(await storedLane(laneId)).toMatchObject({ ready_at: null, blocked_by: null, is_parked: false });
  });
});
