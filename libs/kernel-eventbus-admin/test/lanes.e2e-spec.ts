import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi } from '@kernel/test-support/admin-api';

interface Lane {
  laneId: string;
  endpointId: string;
  blockedBy: string;
  waiting: number;
}

describe('lanes', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', retry: { maxAttempts: 1 } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(() => receiver.stop());
  afterAll(() => api.close());

  const lanes = async (query: Record<string, string> = {}) => {
    const { body } = await api.operator.get('/lanes', { tenantId, ...query }).expect(200);
    return body.items as Lane[];
  };
  const received = () =>
    receiver.received.map(
      ({ headers, statusCode }) =>
        `${headers['x-kernel-stream-key'] as string} ${headers['x-kernel-stream-sequence'] as string} ${statusCode}`,
    );

  /** Stream `s` has a dead letter at its head and two deliveries behind it; stream `other` is healthy. */
  async function blockedLane(): Promise<Lane> {
    receiver.answers(500);
    await api.createEndpoint(tenantId, { url: receiver.url, ordering: 'stream' });
    await api.publish(tenantId, { streamKey: 's' });
    await waitFor(async () => (await lanes({ blocked: 'true' })).length === 1, 'the lane to be blocked');
    await api.publish(tenantId, { streamKey: 's' });
    await api.publish(tenantId, { streamKey: 's' });
    await api.publish(tenantId, { streamKey: 'other' });
    await waitFor(() => received().includes('other 1 204'), 'the other stream');
    return waitFor(
      async () => (await lanes({ blocked: 'true' })).find(({ waiting }) => waiting === 2),
      'two deliveries behind the dead letter',
    );
  }

  it('[KER-2.3] [KER-2.4] are listed while a dead letter blocks them, with what waits behind it', async () => {
    const blocked = await blockedLane();
    expect(await lanes({ blocked: 'true' })).toEqual([
      {
        laneId: expect.any(String),
        tenantId,
        endpointId: blocked.endpointId,
        streamKey: 's',
        lastSequence: 3,
        isBlocked: true,
        blockedAt: expect.stringMatching(/Z$/),
        blockedBy: expect.any(String),
        isParked: false,
        readyAt: expect.stringMatching(/Z$/),
        waiting: 2,
      },
    ]);
    await waitFor(async () => (await lanes({ blocked: 'false' }))[0]?.waiting === 0, 'the other lane to be empty');
    expect(await lanes({ blocked: 'false' })).toMatchObject([
      { streamKey: 'other', lastSequence: 1, isBlocked: false, blockedAt: null, blockedBy: null },
    ]);
    expect(await lanes()).toHaveLength(2);
    expect(await lanes({ endpointId: randomUUID() })).toEqual([]);
    const { body } = await api.operator.get(`/deliveries/${blocked.blockedBy}`).expect(200);
    expect(body).toMatchObject({ status: 'DLQ', deadLetterReason: 'attempts_exhausted' });
    expect(received()).toEqual(['s 1 500', 'other 1 204']);
  });

  it('[KER-2.3] [KER-2.4] go on behind a dead letter that is skipped; the ledger says who, why and which', async () => {
    const { laneId, endpointId, blockedBy } = await blockedLane();
    const { client } = await api.tenantAdmin(tenantId);
    const { body: tokens } = await api.operator.get('/tokens', { limit: 1 });

    const { body } = await client
      .post(`/lanes/${laneId}/skip`, { reason: '  the customer does not want it  ' })
      .set('x-trace-id', 'skip-trace')
      .expect(202);
    expect(body).toMatchObject({
      laneId,
      tenantId,
      isBlocked: false,
      blockedBy: null,
      blockedAt: null,
      lastSequence: 3,
    });

    await receiver.receives(4);
    expect(received()).toEqual(['s 1 500', 'other 1 204', 's 2 204', 's 3 204']);
    expect(receiver.received[2]!.headers['x-kernel-previous-sequence']).toBe('1');
    const { body: dead } = await client.get(`/deliveries/${blockedBy}`).expect(200);
    expect(dead).toMatchObject({ status: 'DLQ', attempts: 1 });
    const { body: audit } = await client.get('/audit', { kind: 'lane-skipped', deliveryId: blockedBy }).expect(200);
    expect(audit.items).toEqual([
      expect.objectContaining({
        actor: `tenant admin (${tokens.items[0].tokenId as string})`,
        reason: 'the customer does not want it',
        traceId: 'skip-trace',
        tenantId,
        endpointId,
        eventId: dead.eventId,
        eventType: dead.eventType,
        detail: { laneId, streamKey: 's', before: { blockedBy }, after: { blockedBy: null } },
      }),
    ]);
  });

  it('[KER-2.3] [KER-2.4] go on with the dead letter itself when it is replayed', async () => {
    const { blockedBy } = await blockedLane();
    await api.operator.post(`/deliveries/${blockedBy}/replay`, { reason: 'repaired' }).expect(202);
    await receiver.receives(5);
    expect(received()).toEqual(['s 1 500', 'other 1 204', 's 1 204', 's 2 204', 's 3 204']);
    expect(await lanes({ blocked: 'true' })).toEqual([]);
  });

  it('send a skipped dead letter out of its turn when somebody replays it later', async () => {
    const { laneId, blockedBy } = await blockedLane();
    await api.operator.post(`/lanes/${laneId}/skip`, { reason: 'later' }).expect(202);
    await receiver.receives(4);
    await api.operator.post(`/deliveries/${blockedBy}/replay`, { reason: 'now' }).expect(202);
    await receiver.receives(5);
    expect(received().at(-1)).toBe('s 1 204');
  });

  it('are skipped once when two ask at the same time', async () => {
    const { laneId, blockedBy } = await blockedLane();
    const skip = () => api.operator.post(`/lanes/${laneId}/skip`, { reason: 'impatient' });
    const answers = await Promise.all([skip(), skip()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
    const { body } = await api.operator.get('/audit', { kind: 'lane-skipped', deliveryId: blockedBy }).expect(200);
    expect(body.items).toHaveLength(1);
    await receiver.receives(4);
    expect(received().slice(2)).toEqual(['s 2 204', 's 3 204']);
  });

  it('are not skipped when nothing blocks them, and nothing is written', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { ordering: 'stream' });
    const laneId = await api.addLane(tenantId, endpointId!);
    const before = await api.countRows();
    const { body } = await api.operator.post(`/lanes/${laneId}/skip`, { reason: 'why not' }).expect(409);
    expect(body).toMatchObject({ type: 'urn:kernel:problem:conflict', detail: expect.stringContaining('not blocked') });
    expect(await api.countRows()).toEqual(before);
  });

  it('wait for their endpoint when they are skipped while it is disabled', async () => {
    const { laneId, endpointId } = await blockedLane();
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    const { body } = await api.operator.post(`/lanes/${laneId}/skip`, { reason: 'while we are at it' }).expect(202);
    expect(body).toMatchObject({ isBlocked: false, isParked: true, waiting: 2 });
    await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);
    await receiver.receives(4);
    expect(received().slice(2)).toEqual(['s 2 204', 's 3 204']);
  });
});
