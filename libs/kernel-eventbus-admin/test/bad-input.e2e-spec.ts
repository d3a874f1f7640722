import { randomUUID } from 'node:crypto';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { expectRefused, SECRET, type Call } from '@kernel/test-support/expect-refused';

const tenantId = randomUUID();
const long = (length: number) => 'x'.repeat(length);

describe('bad input is 400, names the field and writes nothing', () => {
  let api: AdminApi;
  let endpointId: string;
  let deliveryId: string;
  let laneId: string;
  beforeAll(async () => {
    api = await AdminApi.start();
    endpointId = (await api.createEndpoint(tenantId)).endpointId!;
    deliveryId = await api.addDelivery(tenantId, endpointId, 'DLQ');
    laneId = await api.addLane(tenantId, endpointId, deliveryId);
  });
  afterAll(() => api.close());

  it.each([
    [
      'POST /events/:id/preview with a body',
      (c) => c.post(`/events/${randomUUID()}/preview`, { endpointId }),
      'endpointId',
    ],
    ['POST /events/:id/preview?send', (c) => c.post(`/events/${randomUUID()}/preview?send=true`), 'send'],
    ['POST /deliveries/:id/replay without a reason', (c) => c.post(`/deliveries/${deliveryId}/replay`, {}), 'reason'],
    [
      'POST /deliveries/:id/replay with blanks',
      (c) => c.post(`/deliveries/${deliveryId}/replay`, { reason: '  ' }),
      'reason',
    ],
    [
      'POST /deliveries/:id/replay with too long a reason',
      (c) => c.post(`/deliveries/${deliveryId}/replay`, { reason: long(501) }),
      'reason',
    ],
    [
      'POST /deliveries/:id/replay with an unknown field',
      (c) => c.post(`/deliveries/${deliveryId}/replay`, { reason: 'x', force: true }),
      'force',
    ],
    ['POST /lanes/:id/skip without a body', (c) => c.post(`/lanes/${laneId}/skip`), ''],
    ['POST /lanes/:id/skip without a reason', (c) => c.post(`/lanes/${laneId}/skip`, {}), 'reason'],
    ['POST /lanes/:id/skip with blanks', (c) => c.post(`/lanes/${laneId}/skip`, { reason: ' ' }), 'reason'],
    ['POST /lanes/:id/skip with a NUL', (c) => c.post(`/lanes/${laneId}/skip`, { reason: 'a\0b' }), 'reason'],
    [
      'POST /lanes/:id/skip with too long a reason',
      (c) => c.post(`/lanes/${laneId}/skip`, { reason: long(501) }),
      'reason',
    ],
    [
      'POST /lanes/:id/skip with an unknown field',
      (c) => c.post(`/lanes/${laneId}/skip`, { reason: 'x', count: 2 }),
      'count',
    ],
    ['POST /lanes/:id/skip?dryRun', (c) => c.post(`/lanes/${laneId}/skip?dryRun=true`, { reason: 'x' }), 'dryRun'],
    ['PUT /policies without rules', (c) => c.put(`/policies/${TYPE}`, {}), 'rules'],
    [
      'PUT /policies with an action that there is not',
      (c) => c.put(`/policies/${TYPE}`, { rules: [{ path: '$.a', action: 'shred' }] }),
      'rules.0.action',
    ],
    [
      'PUT /policies with a bad path',
      (c) => c.put(`/policies/${TYPE}`, { rules: [{ path: '$..a', action: 'keep' }] }),
      'rules.0.path',
    ],
    ['PUT /policies with too long a type', (c) => c.put(`/policies/${long(161)}`, { rules: [] }), 'eventType'],
    ['PUT /policies with a NUL in the type', (c) => c.put('/policies/a%00b', { rules: [] }), 'eventType'],
    ['PUT /policies with an unknown field', (c) => c.put(`/policies/${TYPE}`, { rules: [], x: 1 }), 'x'],
    ['POST /tokens without a role', (c) => c.post('/tokens', { name: 'x' }), 'role'],
    ['POST /tokens with a bad role', (c) => c.post('/tokens', { name: 'x', role: 'root' }), 'role'],
    ['POST /tokens without a name', (c) => c.post('/tokens', { role: 'operator' }), 'name'],
    [
      'POST /tokens, no tenant for its admin',
      (c) => c.post('/tokens', { name: 'x', role: 'tenant-admin' }),
      'tenantId',
    ],
    [
      'POST /tokens, a tenant for an operator',
      (c) => c.post('/tokens', { name: 'x', role: 'operator', tenantId }),
      'tenantId',
    ],
    [
      'POST /tokens with the token chosen',
      (c) => c.post('/tokens', { name: 'x', role: 'operator', token: SECRET }),
      'token',
    ],
    ['POST /secrets without an alias', (c) => c.post('/secrets', { tenantId }), 'alias'],
    ['[KER-6c] POST /secrets with a secret as alias', (c) => c.post('/secrets', { tenantId, alias: SECRET }), 'alias'],
    [
      'POST /secrets with too short a value',
      (c) => c.post('/secrets', { tenantId, alias: 'abc', value: 'whsec_c2hvcnQ=' }),
      'value',
    ],
    [
      'POST /secrets with two lines',
      (c) => c.post('/secrets', { tenantId, alias: 'abc', value: 'a\r\nb: c' }),
      'value',
    ],
    [
      'POST /secrets with a public key',
      (c) => c.post('/secrets', { tenantId, alias: 'abc', value: 'whpk_a' }),
      'value',
    ],
    ['DELETE /secrets/:alias of no version', (c) => c.delete('/secrets/abc/versions/0'), 'version'],
    ['[KER-6c] DELETE /secrets/:alias with a secret', (c) => c.delete(`/secrets/${SECRET}/versions/1`), 'alias'],
    [
      'POST /secrets with an unknown field',
      (c) => c.post('/secrets', { tenantId, alias: 'abc', version: 3 }),
      'version',
    ],
  ] satisfies [string, Call, string][])('%s', (_, call, path) => expectRefused(api, call, path));

  it.each([
    ['GET', '/endpoints/:id'],
    ['PATCH', '/endpoints/:id'],
    ['DELETE', '/endpoints/:id'],
    ['POST', '/endpoints/:id/test'],
    ['POST', '/endpoints/:id/dry-run'],
    ['GET', '/events/:id'],
    ['POST', '/events/:id/preview'],
    ['GET', '/deliveries/:id'],
    ['POST', '/deliveries/:id/replay'],
    ['POST', '/lanes/:id/skip'],
    ['DELETE', '/tokens/:id'],
    ['POST', '/endpoints/:id/rotate-secret'],
    ['GET', '/endpoints/:id/public-key'],
  ])('%s %s with a malformed id', async (method, path) => {
    for (const id of ['42', 'not-a-uuid', `${randomUUID()}0`, "'%20or%201=1", 'a%00b']) {
      const url = path.replace(':id', id);
      const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      const body = verb === 'patch' ? { name: 'x' } : /replay$|skip$/.test(path) ? { reason: 'x' } : undefined;
      await expectRefused(api, (client) => client[verb](url, body as never), 'id');
    }
  });

  const lists = ['/endpoints', '/events', '/deliveries', '/lanes', '/policies', '/audit', '/tokens'];
  it.each(lists)('GET %s', async (path) => {
    for (const limit of ['0', '201', '-1', '1.5', 'ten', '']) {
      await expectRefused(api, (client) => client.get(path, { limit }), 'limit');
    }
    const notCursors = ['x', 'bm9wZQ', Buffer.from(`${randomUUID()}!`).toString('base64url'), '%%%', ''];
    for (const cursor of notCursors) {
      await expectRefused(api, (client) => client.get(path, { cursor }), 'cursor');
    }
    await expectRefused(api, (client) => client.get(path, { colour: 'red' }), 'colour');
    await expectRefused(api, (client) => client.get(`${path}?limit=1&limit=2`), 'limit');
  });

  it.each([
    ['/events', 'tenantId', 'acme'],
    ['/events', 'type', ''],
    ['/events', 'type', '\0'],
    ['/events', 'streamKey', long(121)],
    ['/events', 'traceId', ''],
    ['/events', 'since', 'yesterday'],
    ['/events', 'since', '2026-02-30T00:00:00Z'],
    ['/events', 'since', '0000-01-01T00:00:00Z'],
    ['/events', 'until', '9999-12-31T23:59:59-23:59'],
    ['/events', 'until', '2026-01-01'],
    ['/events', 'cursor', Buffer.from(`2026-99-99T00:00:00.000000Z ${randomUUID()}`).toString('base64url')],
    ['/events', 'cursor', Buffer.from(`0000-01-01T00:00:00.000000Z ${randomUUID()}`).toString('base64url')],
    ['/events', 'status', 'DELIVERED'],
    ['/events', 'eventId', '1'],
    ['/deliveries', 'status', 'OPEN'],
    ['/deliveries', 'endpointId', '1'],
    ['/deliveries', 'eventId', '1'],
    ['/deliveries', 'since', '1'],
    ['/lanes', 'blocked', 'yes'],
    ['/lanes', 'blocked', ''],
    ['/lanes', 'tenantId', 'acme'],
    ['/lanes', 'endpointId', '1'],
    ['/lanes', 'streamKey', 's'],
    ['/audit', 'kind', 'gossip'],
    ['/audit', 'deliveryId', '1'],
    ['/audit', 'until', '2026-01-01'],
    ['/audit', 'actor', 'kernel'],
    ['/endpoints', 'name', 'x'],
    ['/tokens', 'tenantId', tenantId],
  ])('GET %s?%s=%j', (path, name, value) => expectRefused(api, (client) => client.get(path, { [name]: value }), name));

  it('says each thing once', async () => {
    const detailOf = async (path: string) => (await api.operator.get(path).expect(400)).body.detail as string;
    expect(await detailOf('/audit?since=yesterday')).toBe('since: Invalid ISO datetime');
    expect(await detailOf('/audit?sinc=1&til=2')).toBe('sinc: unknown field; til: unknown field');
    expect(await detailOf('/audit?limit=1&limit=2')).toBe('limit: give one whole number from 1 to 200');
  });

  it.each([['GET', '/secrets']])('%s %s, which comes later, is 404', async (method, path) => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'delete';
    await api.operator[verb](path.replace(':id', randomUUID()))
      .expect(404)
      .expect('content-type', /application\/problem\+json/);
  });
});
