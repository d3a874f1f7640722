import { randomUUID } from 'node:crypto';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from './admin-api.js';

const OTHER = 'invoice.updated.v1';
const region = { path: '$.region', operator: 'equals', value: 'EU' };
const eu = { type: TYPE, match: 'all', predicates: [region] };

describe('subscriptions of an endpoint', () => {
  let api: AdminApi;
  let other: AdminApi | undefined;
  let receiver: WebhookReceiver;
  let tenantId: string;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  beforeEach(async () => {
    tenantId = randomUUID();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await other?.close();
    other = undefined;
    await receiver.stop();
  });
  afterAll(() => api.close());

  const patch = (endpointId: string, changes: object) => api.operator.patch(`/endpoints/${endpointId}`, changes);

  it('[FR-005] are taken, answered and listed as they were given', async () => {
    const subscriptions = [
      eu,
      { type: TYPE, match: 'any', predicates: [{ path: "$['a b'][0]", operator: 'in', value: [1, 'x', true] }] },
      { type: OTHER, predicates: [] },
    ];
    const created = await api.createEndpoint(tenantId, { subscribedTypes: [TYPE, OTHER], subscriptions });
    expect(created.subscriptions).toEqual(subscriptions);
    const { body } = await api.operator.get(`/endpoints/${created.endpointId}`).expect(200);
    expect(body.subscriptions).toEqual(subscriptions);
    const { body: list } = await api.operator.get('/endpoints', { tenantId }).expect(200);
    expect(list.items).toMatchObject([{ subscriptions }]);
    expect((await api.ledger('endpoint-created')).at(-1)).toMatchObject({ detail: { after: { subscriptions } } });
  });

  it('[FR-005] are replaced as a whole, kept when not given, and in the ledger before and after', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { subscriptions: [eu] });
    const us = { ...eu, predicates: [{ ...region, value: 'US' }] };
    expect((await patch(endpointId!, { subscriptions: [us] }).expect(200)).body.subscriptions).toEqual([us]);
    expect((await api.ledger('endpoint-updated')).at(-1)).toMatchObject({
      endpoint_id: endpointId,
      detail: { before: { subscriptions: [eu] }, after: { subscriptions: [us] } },
    });
    expect((await patch(endpointId!, { name: 'x' }).expect(200)).body.subscriptions).toEqual([us]);
    expect((await patch(endpointId!, { subscriptions: [] }).expect(200)).body.subscriptions).toEqual([]);
  });

  it('that are given again as they are write nothing', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { subscriptions: [eu] });
    const before = await api.countRows();
    await patch(endpointId!, { subscriptions: [eu] }).expect(200);
    expect(await api.countRows()).toEqual(before);
  });

  it('[FR-005] follow the types: neither can be changed so that a subscription has no subscribed type', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { subscriptions: [eu] });
    const taken = await patch(endpointId!, { subscribedTypes: [OTHER] }).expect(400);
    expect(taken.body.errors).toEqual([{ path: 'subscribedTypes', message: expect.stringContaining(TYPE) }]);
    const added = await patch(endpointId!, { subscriptions: [{ type: OTHER }] }).expect(400);
    expect(added.body.errors).toEqual([
      { path: 'subscriptions.0.type', message: expect.stringContaining('not among subscribedTypes') },
    ]);
    const both = { subscribedTypes: [OTHER], subscriptions: [{ type: OTHER, predicates: [] }] };
    expect((await patch(endpointId!, both).expect(200)).body).toMatchObject(both);
  });

  it('[FR-005d] [FR-014] that are wrong are told all at once, with what is allowed', async () => {
    const predicates = [{ ...region, path: '$..region' }, region, { ...region, path: 'region' }];
    const { body } = await api.operator
      .post('/endpoints', {
        tenantId,
        url: 'http://127.0.0.1:9/hook',
        subscribedTypes: [TYPE],
        subscriptions: [
          { type: TYPE, match: 'all', predicates },
          { type: OTHER, predicates: [] },
        ],
      })
      .expect(400);
    expect(body.errors).toEqual([
      { path: 'subscriptions.1.type', message: expect.stringContaining(OTHER) },
      { path: 'subscriptions.0.predicates.0.path', message: expect.stringContaining("any of .name, ['any name']") },
      { path: 'subscriptions.0.predicates.2.path', message: expect.stringContaining('does not start with $') },
    ]);
  });

  it('[FR-005] count from the next event that is routed', async () => {
    const worker = (other = await AdminApi.start({ role: 'all' }));
    const { endpointId } = await worker.createEndpoint(tenantId, { url: receiver.url, subscriptions: [eu] });
    await worker.publish(tenantId, { payload: { region: 'US' } });
    const { eventId: first } = await worker.publish(tenantId, { payload: { region: 'EU' } });
    await receiver.receives(1);
    await worker.operator.patch(`/endpoints/${endpointId}`, { subscriptions: [] }).expect(200);
    const { eventId: second } = await worker.publish(tenantId, { payload: { region: 'US' } });
    await receiver.receives(2);
    expect(receiver.received.map(({ body }) => body.eventId)).toEqual([first, second]);
  });

  it("[FR-005d] have their paths checked by the host's selector", async () => {
    const check = (path: string) => (path.startsWith('/') ? undefined : 'start with a slash');
    const own = (other = await AdminApi.start({ fieldSelector: { check, select: () => [] } }));
    const withPath = (path: string) => ({ subscriptions: [{ ...eu, predicates: [{ ...region, path }] }] });
    await own.createEndpoint(tenantId, withPath('/region'));
    const { body } = await own.operator
      .post('/endpoints', {
        tenantId,
        url: 'http://127.0.0.1:9/hook',
        subscribedTypes: [TYPE],
        ...withPath('$.region'),
      })
      .expect(400);
    expect(body.errors).toEqual([{ path: 'subscriptions.0.predicates.0.path', message: 'start with a slash' }]);
  });
});
