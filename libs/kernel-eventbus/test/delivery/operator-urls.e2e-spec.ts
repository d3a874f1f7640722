import { randomUUID } from 'node:crypto';
import { QueuedDispatcher } from '../../src/dispatch/queued-dispatcher.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE, type AdminClient } from '@kernel/test-support/admin-api';

const SECRET_ANSWER = 'only for the inside';
const PUBLIC_URL = 'https://93.184.215.14/hook';

/** An application whose operators allow endpoints on loopback and plain http. */
describe("[KER-6] the outgoing guard's exceptions", () => {
  let api: AdminApi;
  let inside: WebhookReceiver;
  let tenantId: string;
  let admin: AdminClient;
  beforeAll(async () => {
    inside = (await WebhookReceiver.start()).otherwise({ statusCode: 200, body: SECRET_ANSWER });
    api = await AdminApi.start({
      role: 'all',
      allowedOrigins: ['http://[::1]:3001'],
      retry: { maxAttempts: 1 },
      dispatchers: [new QueuedDispatcher({ name: 'queued', capacity: 10, parallelism: 2 })],
    });
  });
  beforeEach(async () => {
    ({ tenantId, client: admin } = await api.tenantAdmin());
  });
  afterEach(() => inside.received.splice(0));
  afterAll(async () => {
    await api.close();
    await inside.stop();
  });

  const create = (client: AdminClient, url: string, settings: object = {}) =>
    client.post('/endpoints', { tenantId, url, subscribedTypes: [TYPE], ...settings });

  const operatorEndpoint = async (settings: object = {}) => {
    const { body } = await create(api.operator, inside.url, settings).expect(201);
    return body as { endpointId: string; urlSetByOperator: boolean };
  };

  /** An endpoint whose URL a tenant's admin set while the application still allowed it. */
  const tenantEndpoint = async (settings: object = {}) => {
    const { endpointId } = await operatorEndpoint(settings);
    await api.kernel.database.query('update kernel_webhook_endpoint set operator_url = null where endpoint_id = $1', [
      endpointId,
    ]);
    return endpointId;
  };

  const ping = async (endpointId: string) =>
    (await admin.post(`/endpoints/${endpointId}/test`).expect(200)).body as Record<string, unknown>;

  const deliver = async (endpointId: string) => {
    const { eventId } = await api.publish(tenantId, { streamKey: randomUUID() });
    return waitFor(async () => {
      const { body } = await admin.get('/deliveries', { eventId, endpointId }).expect(200);
      return (body.items as Record<string, unknown>[]).find(({ status }) => status !== 'PENDING');
    }, `the delivery of ${eventId}`);
  };

  it('hold for a URL that an operator sets, external or not, whoever sends the test', async () => {
    for (const isExternal of [true, false]) {
      const { endpointId, urlSetByOperator } = await operatorEndpoint({ isExternal });
      expect(urlSetByOperator).toBe(true);
      expect(await ping(endpointId)).toMatchObject({ delivered: true, statusCode: 200 });
      expect(await deliver(endpointId)).toMatchObject({ status: 'DELIVERED' });
    }
  });

  it.each([
    ['plain http', 'http://93.184.215.14/', 'use https, or let an operator set this URL'],
    ['an address in an allowed range', 'https://127.0.0.1/', 'use a public host, or let an operator set this URL'],
    ['a name of an address in an allowed range', 'https://localhost/', 'use a public host, or let an operator set'],
    ['an allowed origin', 'http://[::1]:3001/', 'use https, or let an operator set this URL'],
  ])('never hold for a URL that a tenant admin sets: %s', async (_what, url, fix) => {
    const before = await api.countRows();
    const refusal = { path: 'url', message: expect.stringContaining(fix) };
    expect((await create(admin, url).expect(400)).body.errors).toEqual([refusal]);
    expect(await api.countRows()).toEqual(before);

    const { endpointId } = await operatorEndpoint();
    expect((await admin.patch(`/endpoints/${endpointId}`, { url }).expect(400)).body.errors).toEqual([refusal]);
    expect(await ping(endpointId)).toMatchObject({ delivered: true });
  });

  it('stay when a tenant admin changes something else, or sends the same URL along', async () => {
    const { endpointId } = await operatorEndpoint();
    for (const changes of [{ name: 'another' }, { url: inside.url, name: 'and another' }, { url: inside.url }]) {
      const { body } = await admin.patch(`/endpoints/${endpointId}`, changes).expect(200);
      expect(body).toMatchObject({ urlSetByOperator: true });
    }
    expect(await deliver(endpointId)).toMatchObject({ status: 'DELIVERED' });
  });

  it('are lost with another URL of a tenant admin, and come back with an operator', async () => {
    const { endpointId } = await operatorEndpoint();
    const { body: moved } = await admin.patch(`/endpoints/${endpointId}`, { url: PUBLIC_URL }).expect(200);
    expect(moved).toMatchObject({ url: PUBLIC_URL, urlSetByOperator: false });
    await admin.patch(`/endpoints/${endpointId}`, { url: inside.url }).expect(400);

    const { body: back } = await api.operator.patch(`/endpoints/${endpointId}`, { url: inside.url }).expect(200);
    expect(back).toMatchObject({ url: inside.url, urlSetByOperator: true });
    expect(await ping(endpointId)).toMatchObject({ delivered: true });
    const changes = (await api.ledger('endpoint-updated')).filter((entry) => entry.endpoint_id === endpointId);
    expect(changes.map(({ detail }) => detail)).toMatchObject([
      { before: { urlSetByOperator: true }, after: { url: PUBLIC_URL, urlSetByOperator: false } },
      { before: { urlSetByOperator: false }, after: { url: inside.url, urlSetByOperator: true } },
    ]);
  });

  /** During a deployment, processes of a version without the exceptions run beside this one. */
  it('are not given to a URL that is written by a process of an earlier version', async () => {
    const { endpointId } = await operatorEndpoint();
    const flags = async (id: string) =>
      api.kernel.database.query('select url_set_by_operator from kernel_webhook_endpoint where endpoint_id = $1', [id]);
    await api.kernel.database.query('update kernel_webhook_endpoint set name = $1 where endpoint_id = $2', [
      'renamed',
      endpointId,
    ]);
    expect(await flags(endpointId)).toEqual([{ url_set_by_operator: true }]);
    await api.kernel.database.query('update kernel_webhook_endpoint set url = $1 where endpoint_id = $2', [
      `${inside.url}/elsewhere`,
      endpointId,
    ]);
    expect(await flags(endpointId)).toEqual([{ url_set_by_operator: false }]);

    const inserted = randomUUID();
    await api.kernel.database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
       values ($1, $2, $3, '{t.v1}', 'alias')`,
      [inserted, tenantId, inside.url],
    );
    expect(await flags(inserted)).toEqual([{ url_set_by_operator: false }]);
  });

  it('stay when an operator moves the endpoint', async () => {
    const { endpointId } = await operatorEndpoint();
    const { body } = await api.operator.patch(`/endpoints/${endpointId}`, { url: `${inside.url}/new` }).expect(200);
    expect(body).toMatchObject({ urlSetByOperator: true });
  });

  it('cannot be asked for', async () => {
    await create(admin, PUBLIC_URL, { urlSetByOperator: true }).expect(400);
    const { body } = await create(admin, PUBLIC_URL).expect(201);
    expect(body).toMatchObject({ urlSetByOperator: false });
    await admin.patch(`/endpoints/${body.endpointId as string}`, { urlSetByOperator: true }).expect(400);
  });

  it.each([
    ['one that needs no judgement', {}],
    ['an ordered one', { ordering: 'stream', onDeadLetter: 'skip' }],
    [
      'one with predicates',
      {
        subscriptions: [
          { type: TYPE, match: 'all', predicates: [{ path: '$.total', operator: 'exists', value: true }] },
        ],
      },
    ],
    ['one behind a queue', { dispatcher: 'queued' }],
  ])('do not hold at any attempt to a URL that a tenant admin has set: %s', async (_what, settings) => {
    const endpointId = await tenantEndpoint(settings);
    expect(await ping(endpointId)).toMatchObject({ delivered: false, statusCode: null, errorClass: 'guard' });
    const { deliveryId, ...delivery } = await deliver(endpointId);
    expect(delivery).toMatchObject({ status: 'DLQ' });
    const { body } = await admin.get(`/deliveries/${deliveryId as string}`).expect(200);
    expect(body.attemptLog).toEqual([
      expect.objectContaining({ errorClass: 'guard', statusCode: null, responseExcerpt: null }),
    ]);
    // A replay is claimed from the queue instead of being leased by the router.
    await admin.post(`/deliveries/${deliveryId as string}/replay`, { reason: 'once more' }).expect(202);
    await waitFor(async () => {
      const { body: again } = await admin.get(`/deliveries/${deliveryId as string}`).expect(200);
      return again.status === 'DLQ' && again.attemptLog.length === 2;
    }, 'the replay to be refused');
    expect(inside.received).toEqual([]);

    // The same URL, set by an operator, is enough.
    const { body: changed } = await api.operator.patch(`/endpoints/${endpointId}`, { url: inside.url }).expect(200);
    expect(changed).toMatchObject({ urlSetByOperator: true });
    await admin.post(`/deliveries/${deliveryId as string}/replay`, { reason: 'once more' }).expect(202);
    await inside.receives(1);
  });
});
