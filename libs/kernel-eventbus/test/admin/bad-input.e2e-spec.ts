import { randomUUID } from 'node:crypto';
import { AdminApi, TYPE, type AdminClient } from './admin-api.js';

type Call = (client: AdminClient) => ReturnType<AdminClient['get']>;

const tenantId = randomUUID();
const good = { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const long = (length: number) => 'x'.repeat(length);

const region = { path: '$.region', operator: 'equals', value: 'EU' };
const predicateFields: [string, Record<string, unknown>, string][] = [
  ['an unknown operator', { operator: 'between' }, 'operator'],
  ['no operator', { operator: undefined }, 'operator'],
  ['[FR-005d] a path that is none', { path: 'region' }, 'path'],
  ['[FR-005d] a path with a filter', { path: '$.lines[?@.a]' }, 'path'],
  ['[FR-005d] a path that descends', { path: '$..region' }, 'path'],
  ['a path with a NUL', { path: '$.a\0' }, 'path'],
  ['no value', { value: undefined }, 'value'],
  ['an object as value', { value: {} }, 'value'],
  ['text to be greater than', { operator: 'greater', value: '5' }, 'value'],
  ['one value to be in', { operator: 'in', value: 'EU' }, 'value'],
  ['an unknown field', { not: true }, 'not'],
];

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

  async function expectRefused(call: Call, path: string): Promise<void> {
    const before = await api.countRows();
    const { body } = await call(api.operator)
      .expect(400)
      .expect('content-type', /application\/problem\+json/);
    expect(body).toMatchObject({ type: 'validation-failed', status: 400, title: 'Bad Request' });
    expect((body.errors as { path: string }[]).map((error) => error.path)).toContain(path);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(await api.countRows()).toEqual(before);
  }

  const endpointFields: [string, Record<string, unknown>, string][] = [
    ['a URL that is none', { url: 'nonsense' }, 'url'],
    ['a URL with a password', { url: 'http://user:pass@127.0.0.1:9/hook' }, 'url'],
    ['a URL of another scheme', { url: 'ftp://127.0.0.1/hook' }, 'url'],
    ['a URL with a fragment', { url: 'http://127.0.0.1:9/hook#part' }, 'url'],
    ['an address that is not public', { url: 'https://10.0.0.1/hook' }, 'url'],
    ['the metadata address', { url: 'http://169.254.169.254/latest' }, 'url'],
    ['a URL that is too long', { url: `http://127.0.0.1:9/${long(2048)}` }, 'url'],
    ['no types', { subscribedTypes: [] }, 'subscribedTypes'],
    ['an empty type', { subscribedTypes: [''] }, 'subscribedTypes.0'],
    ['a type that is too long', { subscribedTypes: [long(161)] }, 'subscribedTypes.0'],
    ['a type with a NUL', { subscribedTypes: ['a\0b'] }, 'subscribedTypes.0'],
    ['types that are no list', { subscribedTypes: TYPE }, 'subscribedTypes'],
    ['an empty name', { name: '' }, 'name'],
    ['a name that is too long', { name: long(121) }, 'name'],
    ['a name with half a surrogate pair', { name: 'a\ud800' }, 'name'],
    ['[KER-6c] a secret in place of its alias', { signingSecretAlias: SECRET }, 'signingSecretAlias'],
    ['an alias of no secret', { signingSecretAlias: 'no.such.secret' }, 'signingSecretAlias'],
    ['an alias that is a path', { signingSecretAlias: '../etc' }, 'signingSecretAlias'],
    ['isEnabled as text', { isEnabled: 'yes' }, 'isEnabled'],
    ['isExternal as a number', { isExternal: 1 }, 'isExternal'],
    ['an unknown ordering', { ordering: 'global' }, 'ordering'],
    ['ordering null', { ordering: null }, 'ordering'],
    ['an unknown onDeadLetter', { onDeadLetter: 'stop' }, 'onDeadLetter'],
    ['maxInFlight 0', { maxInFlight: 0 }, 'maxInFlight'],
    ['maxInFlight over 1000', { maxInFlight: 1_001 }, 'maxInFlight'],
    ['maxInFlight with a fraction', { maxInFlight: 1.5 }, 'maxInFlight'],
    ['maxInFlight as text', { maxInFlight: '5' }, 'maxInFlight'],
    ['[KER-6c] a secret', { secret: SECRET }, 'secret'],
    ['subscriptions that are no list', { subscriptions: { type: TYPE } }, 'subscriptions'],
    ['subscriptions null', { subscriptions: null }, 'subscriptions'],
    ['a subscription without a type', { subscriptions: [{ predicates: [] }] }, 'subscriptions.0.type'],
    ['[FR-005] a type that is not subscribed', { subscriptions: [{ type: 'other.v1' }] }, 'subscriptions.0.type'],
    ['an unknown field of a subscription', { subscriptions: [{ type: TYPE, mode: 'all' }] }, 'subscriptions.0.mode'],
    [
      '[FR-005a] [FR-014] predicates without a match',
      { subscriptions: [{ type: TYPE, predicates: [region] }] },
      'subscriptions.0.match',
    ],
    ['an unknown match', { subscriptions: [{ type: TYPE, match: 'some' }] }, 'subscriptions.0.match'],
    ...predicateFields.map(([what, fields, path]): [string, Record<string, unknown>, string] => [
      `a predicate with ${what}`,
      { subscriptions: [{ type: TYPE, match: 'all', predicates: [region, { ...region, ...fields }] }] },
      `subscriptions.0.predicates.1.${path}`,
    ]),
    ['an unknown field', { colour: 'red' }, 'colour'],
    ...['headers', 'dispatcher', 'retry', 'timeoutMs', 'signature'].map(
      (name): [string, Record<string, unknown>, string] => [`${name}, which comes later`, { [name]: 'x' }, name],
    ),
  ];
  it.each(endpointFields)('POST /endpoints with %s', (_, fields, path) =>
    expectRefused((client) => client.post('/endpoints', { ...good, ...fields }), path),
  );
  it.each(endpointFields)('PATCH /endpoints/:id with %s', (_, fields, path) =>
    expectRefused((client) => client.patch(`/endpoints/${endpointId}`, fields), path),
  );

  it.each([
    ['POST /endpoints without a tenant', (c) => c.post('/endpoints', { ...good, tenantId: undefined }), 'tenantId'],
    ['POST /endpoints with a bad tenant', (c) => c.post('/endpoints', { ...good, tenantId: 'acme' }), 'tenantId'],
    ['POST /endpoints without a URL', (c) => c.post('/endpoints', { ...good, url: undefined }), 'url'],
    ['POST /endpoints without a body', (c) => c.post('/endpoints'), ''],
    ['POST /endpoints with a list', (c) => c.post('/endpoints', [good]), ''],
    ['PATCH /endpoints/:id with nothing', (c) => c.patch(`/endpoints/${endpointId}`, {}), ''],
    ['PATCH /endpoints/:id of the tenant', (c) => c.patch(`/endpoints/${endpointId}`, { tenantId }), 'tenantId'],
    ['DELETE /endpoints/:id with a body', (c) => c.delete(`/endpoints/${endpointId}`).send({ dryRun: true }), 'dryRun'],
    ['POST /endpoints/:id/test with a body', (c) => c.post(`/endpoints/${endpointId}/test`, { payload: 1 }), 'payload'],
    [
      'POST /endpoints/:id/dry-run since ever',
      (c) => c.post(`/endpoints/${endpointId}/dry-run`, { since: 1 }),
      'since',
    ],
    [
      'POST /endpoints/:id/dry-run with an unknown field',
      (c) => c.post(`/endpoints/${endpointId}/dry-run`, { until: '2026-01-01T00:00:00Z' }),
      'until',
    ],
    [
      'POST /endpoints/:id/dry-run?since',
      (c) => c.post(`/endpoints/${endpointId}/dry-run?since=2026-01-01T00:00:00Z`),
      'since',
    ],
    [
      'POST /events/:id/preview with a body',
      (c) => c.post(`/events/${randomUUID()}/preview`, { endpointId }),
      'endpointId',
    ],
    ['POST /events/:id/preview?send', (c) => c.post(`/events/${randomUUID()}/preview?send=true`), 'send'],
    ['DELETE /endpoints/:id?dryRun', (c) => c.delete(`/endpoints/${endpointId}?dryRun=true`), 'dryRun'],
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
    ['POST /secrets with a password', (c) => c.post('/secrets', { tenantId, alias: 'abc', value: 'hunter2' }), 'value'],
    [
      'POST /secrets with an unknown field',
      (c) => c.post('/secrets', { tenantId, alias: 'abc', version: 3 }),
      'version',
    ],
  ] satisfies [string, Call, string][])('%s', (_, call, path) => expectRefused(call, path));

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
  ])('%s %s with a malformed id', async (method, path) => {
    for (const id of ['42', 'not-a-uuid', `${randomUUID()}0`, "'%20or%201=1", 'a%00b']) {
      const url = path.replace(':id', id);
      const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      const body = verb === 'patch' ? { name: 'x' } : /replay$|skip$/.test(path) ? { reason: 'x' } : undefined;
      await expectRefused((client) => client[verb](url, body as never), 'id');
    }
  });

  const lists = ['/endpoints', '/events', '/deliveries', '/lanes', '/policies', '/audit', '/tokens'];
  it.each(lists)('GET %s', async (path) => {
    for (const limit of ['0', '201', '-1', '1.5', 'ten', '']) {
      await expectRefused((client) => client.get(path, { limit }), 'limit');
    }
    const notCursors = ['x', 'bm9wZQ', Buffer.from(`${randomUUID()}!`).toString('base64url'), '%%%', ''];
    for (const cursor of notCursors) {
      await expectRefused((client) => client.get(path, { cursor }), 'cursor');
    }
    await expectRefused((client) => client.get(path, { colour: 'red' }), 'colour');
    await expectRefused((client) => client.get(`${path}?limit=1&limit=2`), 'limit');
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
    ['/events', 'status', 'PENDING'],
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
    ['/audit', 'until', '2026-01-01T00:00:00Z'],
    ['/endpoints', 'name', 'x'],
    ['/tokens', 'tenantId', tenantId],
  ])('GET %s?%s=%j', (path, name, value) => expectRefused((client) => client.get(path, { [name]: value }), name));

  it.each([
    ['POST', '/endpoints/:id/rotate-secret'],
    ['GET', '/endpoints/:id/public-key'],
    ['POST', '/audit/verify'],
    ['GET', '/audit/export'],
    ['GET', '/tenants'],
    ['GET', '/stats'],
    ['GET', '/stream'],
    ['GET', '/secrets'],
    ['DELETE', '/secrets/abc/versions/1'],
  ])('%s %s, which comes later, is 404', async (method, path) => {
    const verb = method.toLowerCase() as 'get' | 'post' | 'delete';
    await api.operator[verb](path.replace(':id', randomUUID()))
      .expect(404)
      .expect('content-type', /application\/problem\+json/);
  });

  it('[KER-6c] the database itself refuses a secret in an endpoint row', async () => {
    const insert = api.kernel.database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
       values ($1, $2, 'https://example.com', '{a}', $3)`,
      [randomUUID(), tenantId, SECRET],
    );
    await expect(insert).rejects.toThrow(/kernel_webhook_endpoint_alias_check/);
  });

  it('by default https alone is let in, and no name that resolves to an address that is not public', async () => {
    const strict = await AdminApi.start({ allowHttp: false, allowedCidrs: [] });
    const before = await strict.countRows();

    const plain = await strict.operator.post('/endpoints', good).expect(400);
    expect(plain.body.errors).toEqual([{ path: 'url', message: expect.stringContaining('use https') }]);
    const inside = await strict.operator.post('/endpoints', { ...good, url: 'https://localhost/hook' }).expect(400);
    expect(inside.body.errors).toEqual([{ path: 'url', message: expect.stringContaining('not public') }]);

    expect(await strict.countRows()).toEqual(before);
    await strict.close();
  });
});
