import { randomUUID } from 'node:crypto';
import { defineEvent } from '@kernel/eventbus';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const UNORDERED = 'page.viewed.v1';

describe('the ordering of an endpoint', () => {
  let api: AdminApi;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start({
      events: [defineEvent({ type: UNORDERED, ordering: 'none' }), defineEvent({ type: TYPE })],
    });
  });
  beforeEach(() => {
    tenantId = randomUUID();
  });
  afterAll(() => api.close());

  const settings = () => ({ tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] });
  const eventsAreRouted = () =>
    api.kernel.database.query(`update kernel_outbox_event set status = 'PUBLISHED' where tenant_id = $1`, [tenantId]);
  const read = async (endpointId: string) => (await api.operator.get(`/endpoints/${endpointId}`).expect(200)).body;

  it('[KER-2.3] is set when it is made, changed later, and noted', async () => {
    const wanted = { ordering: 'stream', onDeadLetter: 'skip', maxInFlight: 5 };
    const { body } = await api.operator.post('/endpoints', { ...settings(), ...wanted }).expect(201);
    expect(body).toMatchObject(wanted);
    expect(await read(body.endpointId)).toMatchObject(wanted);

    const changes = { ordering: 'none', onDeadLetter: 'block', maxInFlight: null };
    const { body: changed } = await api.operator.patch(`/endpoints/${body.endpointId}`, changes).expect(200);
    expect(changed).toMatchObject(changes);
    expect(await read(body.endpointId)).toMatchObject(changed as object);
    expect((await api.ledger('endpoint-updated')).at(-1)).toMatchObject({
      endpoint_id: body.endpointId,
      detail: { before: wanted, after: changes },
    });
  });

  it.each([1, 1_000, null])('comes with maxInFlight %j', async (maxInFlight) => {
    const { body } = await api.operator.post('/endpoints', { ...settings(), maxInFlight }).expect(201);
    expect(body.maxInFlight).toBe(maxInFlight);
  });

  describe('cannot be kept for a type that is declared without', () => {
    const both = [TYPE, UNORDERED];

    async function expectRefused(call: () => ReturnType<typeof api.operator.post>): Promise<void> {
      const before = await api.countRows();
      const { body } = await call().expect(400);
      expect(body.errors).toEqual([{ path: 'subscribedTypes', message: expect.stringContaining(UNORDERED) }]);
      expect(await api.countRows()).toEqual(before);
    }

    it('when an endpoint is made', () =>
      expectRefused(() =>
        api.operator.post('/endpoints', { ...settings(), subscribedTypes: both, ordering: 'stream' }),
      ));

    it('when its types change', async () => {
      const { endpointId } = await api.createEndpoint(tenantId, { ordering: 'stream' });
      await expectRefused(() => api.operator.patch(`/endpoints/${endpointId}`, { subscribedTypes: both }));
      expect(await read(endpointId!)).toMatchObject({ subscribedTypes: [TYPE] });
    });

    it('when its ordering changes', async () => {
      const { endpointId } = await api.createEndpoint(tenantId, { subscribedTypes: both });
      await expectRefused(() => api.operator.patch(`/endpoints/${endpointId}`, { ordering: 'stream' }));
      const fitting = { ordering: 'stream', subscribedTypes: [TYPE] };
      await api.operator.patch(`/endpoints/${endpointId}`, fitting).expect(200);
    });

    it('but anything else can be changed, also where the declaration came later than the endpoint', async () => {
      const { endpointId } = await api.createEndpoint(tenantId, { subscribedTypes: both });
      await api.kernel.database.query(`update kernel_webhook_endpoint set ordering = 'stream' where endpoint_id = $1`, [
        endpointId,
      ]);
      await api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    });
  });

  it.each([
    ['none', 'stream'],
    ['stream', 'none'],
  ])('is not changed from %s to %s while deliveries are open', async (ordering, other) => {
    const { endpointId } = await api.createEndpoint(tenantId, { ordering });
    const deliveryId = await api.addDelivery(tenantId, endpointId!);
    const before = await api.countRows();
    const change = { ordering: other, name: 'changed' };
    const { body } = await api.operator.patch(`/endpoints/${endpointId}`, change).expect(409);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:conflict',
      detail: expect.stringContaining('open deliveries'),
    });
    expect(await read(endpointId!)).toMatchObject({ ordering, name: null });
    expect(await api.countRows()).toEqual(before);

    await api.operator.patch(`/endpoints/${endpointId}`, { ordering, name: 'same' }).expect(200);
    await api.kernel.database.query(`update kernel_webhook_delivery set status = 'DLQ' where delivery_id = $1`, [
      deliveryId,
    ]);
    // Its event may be routed to another, still uncommitted delivery at this moment.
    await api.operator.patch(`/endpoints/${endpointId}`, change).expect(409);
    await eventsAreRouted();
    await api.operator.patch(`/endpoints/${endpointId}`, change).expect(200);
  });

  it('leaves no lane blocked when it is given up', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { ordering: 'stream' });
    const deliveryId = await api.addDelivery(tenantId, endpointId!, 'DLQ');
    await eventsAreRouted();
    const laneId = await api.addLane(tenantId, endpointId!, deliveryId);
    await api.operator.patch(`/endpoints/${endpointId}`, { ordering: 'none' }).expect(200);
    const { body } = await api.operator.get('/lanes', { tenantId }).expect(200);
    expect(body.items).toMatchObject([{ laneId, isBlocked: false, blockedBy: null, blockedAt: null }]);
  });
});
