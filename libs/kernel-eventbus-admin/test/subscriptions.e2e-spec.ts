import { randomUUID } from 'node:crypto';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

const OTHER = 'invoice.updated.v1';
const region = { path: '$.region', operator: 'equals', value: 'EU' };
const eu = { type: TYPE, match: 'all', predicates: [region] };

const takeLargeBodies = (app: INestApplication) =>
  (app as NestExpressApplication).useBodyParser('json', { limit: '1mb' });

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

  const predicates = (count: number) => Array.from({ length: count }, () => region);
  const entries = (count: number, each: number) =>
    Array.from({ length: count }, () => ({ ...eu, predicates: predicates(each) }));

  it.each<[string, object, string, RegExp]>([
    ['subscriptions', { subscriptions: entries(101, 1) }, 'subscriptions', /has 101 subscriptions; at most 100 are/],
    [
      'predicates in one',
      { subscriptions: entries(1, 51) },
      'subscriptions.0.predicates',
      /has 51 predicates; at most 50 are/,
    ],
    [
      'predicates in all',
      { subscriptions: entries(34, 3) },
      'subscriptions',
      /has 102 predicates in all; at most 100 are/,
    ],
    [
      'values in a list',
      { subscriptions: [{ ...eu, predicates: [{ ...region, operator: 'in', value: Array(101).fill('x') }] }] },
      'subscriptions.0.predicates.0.value',
      /has 101 values; at most 100 are/,
    ],
    [
      'characters in a value',
      { subscriptions: [{ ...eu, predicates: [{ ...region, operator: 'starts-with', value: 'x'.repeat(1_001) }] }] },
      'subscriptions.0.predicates.0.value',
      /has 1001 characters; at most 1000 are/,
    ],
    [
      'characters in a path',
      { subscriptions: [{ ...eu, predicates: [{ ...region, path: `$.${'x'.repeat(499)}` }] }] },
      'subscriptions.0.predicates.0.path',
      /has 501 characters; at most 500 are/,
    ],
    [
      'steps in a path',
      { subscriptions: [{ ...eu, predicates: [{ ...region, path: `$${'.a'.repeat(33)}` }] }] },
      'subscriptions.0.predicates.0.path',
      /has 33 steps; at most 32 are/,
    ],
    [
      'bytes',
      {
        subscriptions: [
          { ...eu, predicates: [{ ...region, operator: 'in', value: Array(70).fill('x'.repeat(1_000)) }] },
        ],
      },
      'subscriptions',
      /has \d{5} bytes as JSON; at most 65536 are/,
    ],
    [
      'types',
      { subscribedTypes: Array.from({ length: 501 }, (_, n) => `t${n}.v1`) },
      'subscribedTypes',
      /has 501 types; at most 500 are/,
    ],
  ])(
    'have an end: too many %s are refused with what was given and what is allowed',
    async (_, wanted, path, message) => {
      const { endpointId } = await api.createEndpoint(tenantId);
      const before = await api.countRows();
      const expected = [{ path, message: expect.stringMatching(message) }];
      const draft = { tenantId, subscribedTypes: [TYPE], ...wanted };
      const url = 'http://127.0.0.1:9/hook';
      expect((await api.operator.post('/endpoints', { url, ...draft }).expect(400)).body.errors).toEqual(expected);
      expect((await api.operator.post('/endpoints/dry-run', draft).expect(400)).body.errors).toEqual(expected);
      expect((await patch(endpointId!, wanted).expect(400)).body.errors).toEqual(expected);
      expect(await api.countRows()).toEqual(before);
    },
  );

  it('that were stored before there was an end to them are shown, sent back and evaluated as they are', async () => {
    const worker = (other = await AdminApi.start({ role: 'all', configure: takeLargeBodies }));
    const many = Array.from({ length: 100 }, (_, n) => ({
      type: TYPE,
      match: 'any' as const,
      predicates: Array.from({ length: 50 }, (_, m) => ({
        ...region,
        operator: 'equals' as const,
        value: `${n} ${m}`,
      })),
    }));
    const types = [TYPE, ...Array.from({ length: 600 }, (_, n) => `t${n}.v1`)];
    const { endpointId } = await worker.kernel.addEndpoint({
      ...{ tenantId, url: receiver.url, types, subscriptions: many },
    });
    const { body } = await worker.operator.get(`/endpoints/${endpointId}`).expect(200);
    expect(body.subscriptions).toEqual(many);
    await worker.operator.patch(`/endpoints/${endpointId}`, { name: 'x', subscriptions: many }).expect(200);
    await worker.publish(tenantId, { payload: { region: 'US' } });
    const { eventId } = await worker.publish(tenantId, { payload: { region: '99 49' } });
    await receiver.receives(1);
    expect(receiver.received.map((webhook) => webhook.body.eventId)).toEqual([eventId]);
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
