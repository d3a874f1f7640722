import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { ADMIN, AdminApi, OPERATOR_TOKEN, TYPE, type AdminClient } from '@kernel/test-support/admin-api';

type Call = (client: AdminClient) => ReturnType<AdminClient['get']>;

const id = randomUUID();
const tenantId = randomUUID();
const endpoint = { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] };
const order = { since: new Date().toISOString(), reason: 'why' };

/** Every route with a valid request. */
const routes: [string, Call][] = [
  ['POST /endpoints', (client) => client.post('/endpoints', endpoint)],
  ['GET /endpoints', (client) => client.get('/endpoints')],
  ['GET /endpoints/:id', (client) => client.get(`/endpoints/${id}`)],
  ['PATCH /endpoints/:id', (client) => client.patch(`/endpoints/${id}`, { name: 'x' })],
  ['DELETE /endpoints/:id', (client) => client.delete(`/endpoints/${id}`)],
  ['POST /endpoints/:id/test', (client) => client.post(`/endpoints/${id}/test`)],
  ['GET /events', (client) => client.get('/events')],
  ['POST /endpoints/:id/dry-run', (client) => client.post(`/endpoints/${id}/dry-run`)],
  ['POST /endpoints/dry-run', (client) => client.post('/endpoints/dry-run', { tenantId, subscribedTypes: [TYPE] })],
  ['GET /events/:id', (client) => client.get(`/events/${id}`)],
  ['POST /events/:id/preview', (client) => client.post(`/events/${id}/preview`)],
  ['GET /deliveries', (client) => client.get('/deliveries')],
  ['GET /deliveries/:id', (client) => client.get(`/deliveries/${id}`)],
  ['POST /deliveries/:id/replay', (client) => client.post(`/deliveries/${id}/replay`, { reason: 'why' })],
  ['GET /deliveries/:id/body', (client) => client.get(`/deliveries/${id}/body`)],
  ['GET /deliveries/groups', (client) => client.get('/deliveries/groups')],
  ['GET /lanes', (client) => client.get('/lanes')],
  ['POST /lanes/:id/skip', (client) => client.post(`/lanes/${id}/skip`, { reason: 'why' })],
  ['POST /endpoints/:id/recover', (client) => client.post(`/endpoints/${id}/recover`, order)],
  ['POST /endpoints/:id/replay-missing', (client) => client.post(`/endpoints/${id}/replay-missing`, order)],
  ['POST /deliveries/replay', (client) => client.post('/deliveries/replay', { filter: { all: true }, reason: 'why' })],
  ['GET /operations', (client) => client.get('/operations')],
  ['GET /operations/:id', (client) => client.get(`/operations/${id}`)],
  ['POST /operations/:id/cancel', (client) => client.post(`/operations/${id}/cancel`)],
  ['GET /session', (client) => client.get('/session')],
  ['GET /stats', (client) => client.get('/stats')],
  ['GET /stream', (client) => client.get('/stream')],
  ['GET /endpoints/health', (client) => client.get('/endpoints/health')],
  ['GET /tenants', (client) => client.get('/tenants')],
  ['GET /partitions', (client) => client.get('/partitions')],
  ['POST /prune', (client) => client.post('/prune')],
  ['GET /policies', (client) => client.get('/policies')],
  ['PUT /policies/:eventType', (client) => client.put(`/policies/${TYPE}`, { rules: [] })],
  [
    'POST /policies/:eventType/preview',
    (client) => client.post(`/policies/${TYPE}/preview`, { rules: [], payload: {} }),
  ],
  ['GET /audit', (client) => client.get('/audit')],
  ['POST /tokens', (client) => client.post('/tokens', { name: 'x', role: 'operator' })],
  ['GET /tokens', (client) => client.get('/tokens')],
  ['DELETE /tokens/:id', (client) => client.delete(`/tokens/${id}`)],
  ['POST /secrets', (client) => client.post('/secrets', { tenantId, alias: 'some.alias' })],
  ['DELETE /secrets/:alias/versions/:version', (client) => client.delete('/secrets/some.alias/versions/1')],
  ['POST /endpoints/:id/rotate-secret', (client) => client.post(`/endpoints/${id}/rotate-secret`)],
  ['GET /endpoints/:id/public-key', (client) => client.get(`/endpoints/${id}/public-key`)],
];

describe('access to the admin API', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ adminFailures: { limit: 1_000 } });
  });
  afterAll(() => api.close());

  describe.each(routes)('%s', (_, call) => {
    it.each([
      ['no token', undefined],
      ['a token nobody issued', 'keb_unknown'],
      ["the configured token's beginning", OPERATOR_TOKEN.slice(0, -1)],
    ])('answers 401 to %s and writes nothing', async (__, token) => {
      const before = await api.countRows();
      const { body } = await call(api.as(token))
        .expect(401)
        .expect('content-type', /application\/problem\+json/)
        .expect('www-authenticate', 'Bearer');
      expect(body).toEqual({
        type: 'urn:kernel:problem:unauthorized',
        title: 'Unauthorized',
        status: 401,
        detail: expect.any(String),
        traceId: expect.any(String),
      });
      expect(await api.countRows()).toEqual(before);
    });
  });

  it.each(['Basic b3BlcmF0b3I=', 'Bearer', 'Bearer ', `bearer${OPERATOR_TOKEN}`, `Bearer ${OPERATOR_TOKEN} x`])(
    'answers 401 to the header "%s"',
    async (authorization) => {
      await request(api.url).get(`${ADMIN}/endpoints`).set('authorization', authorization).expect(401);
    },
  );

  describe('a tenant admin', () => {
    it.each([
      ['POST /tokens', (client) => client.post('/tokens', { name: 'x', role: 'operator' })],
      ['POST /tokens, however malformed', (client) => client.post('/tokens', { nonsense: true })],
      ['GET /tokens', (client) => client.get('/tokens')],
      ['DELETE /tokens/:id', (client) => client.delete(`/tokens/${id}`)],
      ['POST /endpoints for another tenant', (client) => client.post('/endpoints', endpoint)],
      ['POST /secrets for another tenant', (client) => client.post('/secrets', { tenantId, alias: 'some.alias' })],
      ['PUT /policies for another tenant', (client) => client.put(`/policies/${TYPE}`, { tenantId, rules: [] })],
      ['GET /endpoints of another tenant', (client) => client.get('/endpoints', { tenantId })],
      ['GET /events of another tenant', (client) => client.get('/events', { tenantId })],
      ['GET /deliveries of another tenant', (client) => client.get('/deliveries', { tenantId })],
      ['GET /deliveries/groups of another tenant', (client) => client.get('/deliveries/groups', { tenantId })],
      ['GET /lanes of another tenant', (client) => client.get('/lanes', { tenantId })],
      ['GET /stats of another tenant', (client) => client.get('/stats', { tenantId })],
      ['GET /stream of another tenant', (client) => client.get('/stream', { tenantId })],
      ['GET /endpoints/health of another tenant', (client) => client.get('/endpoints/health', { tenantId })],
      ['GET /audit of another tenant', (client) => client.get('/audit', { tenantId })],
      ['GET /policies of another tenant', (client) => client.get('/policies', { tenantId })],
    ] satisfies [string, Call][])('[KER-T] gets 403 for %s and writes nothing', async (_, call) => {
      const { client } = await api.tenantAdmin();
      const before = await api.countRows();
      const { body } = await call(client).expect(403);
      expect(body).toMatchObject({ type: 'urn:kernel:problem:forbidden', status: 403 });
      expect(await api.countRows()).toEqual(before);
    });

    it('names his own tenant in any case of letters', async () => {
      const { client, tenantId: own } = await api.tenantAdmin();
      await client.get('/endpoints', { tenantId: own.toUpperCase() }).expect(200);
    });
  });

  describe("another tenant's ids", () => {
    let stranger: AdminClient;
    let endpointId: string;
    let deliveryId: string;
    let eventId: string;
    let laneId: string;
    beforeAll(async () => {
      stranger = (await api.tenantAdmin()).client;
      endpointId = (await api.createEndpoint(tenantId)).endpointId!;
      deliveryId = await api.addDelivery(tenantId, endpointId, 'DLQ');
      laneId = await api.addLane(tenantId, endpointId, deliveryId);
      const { body } = await api.operator.get('/events', { tenantId }).expect(200);
      eventId = body.items[0].eventId as string;
    });

    it.each([
      ['GET /endpoints/:id', (client) => client.get(`/endpoints/${endpointId}`)],
      ['PATCH /endpoints/:id', (client) => client.patch(`/endpoints/${endpointId}`, { isEnabled: false })],
      ['PATCH /endpoints/:id with a bad url', (client) => client.patch(`/endpoints/${endpointId}`, { url: 'ftp://x' })],
      ['DELETE /endpoints/:id', (client) => client.delete(`/endpoints/${endpointId}`)],
      ['POST /endpoints/:id/test', (client) => client.post(`/endpoints/${endpointId}/test`)],
      ['POST /endpoints/:id/dry-run', (client) => client.post(`/endpoints/${endpointId}/dry-run`)],
      ['GET /events/:id', (client) => client.get(`/events/${eventId}`)],
      ['POST /events/:id/preview', (client) => client.post(`/events/${eventId}/preview`)],
      ['GET /deliveries/:id', (client) => client.get(`/deliveries/${deliveryId}`)],
      ['POST /deliveries/:id/replay', (client) => client.post(`/deliveries/${deliveryId}/replay`, { reason: 'mine' })],
      ['POST /lanes/:id/skip', (client) => client.post(`/lanes/${laneId}/skip`, { reason: 'mine' })],
    ] satisfies [string, Call][])('[KER-T] are unknown to a tenant admin: %s', async (_, call) => {
      const before = await api.countRows();
      const { body } = await call(stranger).expect(404);
      expect(body).toMatchObject({ type: 'urn:kernel:problem:not-found', detail: expect.stringContaining('no such') });
      expect(await api.countRows()).toEqual(before);
    });

    it.each(['/endpoints', '/events', '/deliveries', '/lanes', '/audit'])(
      '[KER-T] are in no list: %s',
      async (path) => {
        const mine = await stranger.get(path).expect(200);
        expect(JSON.stringify(mine.body)).not.toContain(tenantId);
        const all = await api.operator.get(path).expect(200);
        expect(JSON.stringify(all.body)).toContain(tenantId);
      },
    );

    it.each([
      ['/deliveries', 'endpointId', () => endpointId],
      ['/deliveries', 'eventId', () => eventId],
      ['/lanes', 'endpointId', () => endpointId],
      ['/audit', 'endpointId', () => endpointId],
      ['/audit', 'deliveryId', () => deliveryId],
      ['/audit', 'traceId', () => 'trace-0001'],
    ])('[KER-T] find nothing as a filter: %s?%s', async (path, name, value) => {
      const { body } = await stranger.get(path, { [name]: value() }).expect(200);
      expect(body).toEqual({ items: [], nextCursor: null });
    });

    it.each([
      ['GET /endpoints/:id', (client) => client.get(`/endpoints/${id}`)],
      ['PATCH /endpoints/:id', (client) => client.patch(`/endpoints/${id}`, { name: 'x' })],
      ['DELETE /endpoints/:id', (client) => client.delete(`/endpoints/${id}`)],
      ['POST /endpoints/:id/test', (client) => client.post(`/endpoints/${id}/test`)],
      ['POST /endpoints/:id/dry-run', (client) => client.post(`/endpoints/${id}/dry-run`)],
      ['GET /events/:id', (client) => client.get(`/events/${id}`)],
      ['POST /events/:id/preview', (client) => client.post(`/events/${id}/preview`)],
      ['GET /deliveries/:id', (client) => client.get(`/deliveries/${id}`)],
      ['POST /deliveries/:id/replay', (client) => client.post(`/deliveries/${id}/replay`, { reason: 'x' })],
      ['POST /lanes/:id/skip', (client) => client.post(`/lanes/${id}/skip`, { reason: 'x' })],
      ['DELETE /tokens/:id', (client) => client.delete(`/tokens/${id}`)],
    ] satisfies [string, Call][])('are told from unknown ones by nothing: %s', async (_, call) => {
      const { body } = await call(api.operator).expect(404);
      expect(body).toMatchObject({ type: 'urn:kernel:problem:not-found', detail: expect.stringContaining('no such') });
    });
  });

  it('[KER-6d] lets no tenant admin switch off redaction by calling an endpoint internal', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const endpoint = { tenantId, url: 'https://receiver.invalid/hook', subscribedTypes: ['t.v1'] };
    const before = await api.countRows();
    await client.post('/endpoints', { ...endpoint, isExternal: false }).expect(403);
    expect(await api.countRows()).toEqual(before);
    const { body } = await client.post('/endpoints', endpoint).expect(201);
    await client.patch(`/endpoints/${body.endpointId as string}`, { isExternal: false }).expect(403);
    await api.operator.patch(`/endpoints/${body.endpointId as string}`, { isExternal: false }).expect(200);
  });

  it('[KER-6d] lets no tenant admin move an internal endpoint to where he would get payloads whole', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const internal = await api.createEndpoint(tenantId, { isExternal: false, url: 'http://127.0.0.1:9/inside' });
    const path = `/endpoints/${internal.endpointId}`;
    const before = await api.countRows();
    for (const changes of [
      { url: 'http://127.0.0.1:9/his' },
      { headers: { 'x-route': 'his' } },
      { dispatcher: 'http' },
      { url: 'http://127.0.0.1:9/his', isExternal: true },
    ]) {
      const { body } = await client.patch(path, changes).expect(403);
      expect(body).toMatchObject({
        type: 'urn:kernel:problem:forbidden',
        detail: expect.stringContaining(Object.keys(changes)[0]!),
      });
    }
    expect(await api.countRows()).toEqual(before);
    expect((await client.get(path).expect(200)).body).toMatchObject({
      url: internal.url,
      headers: {},
      dispatcher: null,
    });

    await client.patch(path, { name: 'his', url: internal.url, isEnabled: false }).expect(200);
    await client.patch(path, { isExternal: true }).expect(200);
    await client.patch(path, { url: 'https://receiver.invalid/his' }).expect(200);
  });
});
