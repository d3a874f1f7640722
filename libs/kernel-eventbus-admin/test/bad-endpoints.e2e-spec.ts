import { randomUUID } from 'node:crypto';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { expectRefused, SECRET, type Call } from '@kernel/test-support/expect-refused';

const tenantId = randomUUID();
const good = { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE] };
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

describe('bad input for an endpoint is 400, names the field and writes nothing', () => {
  let api: AdminApi;
  let endpointId: string;
  beforeAll(async () => {
    api = await AdminApi.start();
    endpointId = (await api.createEndpoint(tenantId)).endpointId!;
  });
  afterAll(() => api.close());

  const endpointFields: [string, Record<string, unknown>, string][] = [
    ['a URL that is none', { url: 'nonsense' }, 'url'],
    ['a line break in the path', { url: 'http://127.0.0.1:9/a\nb' }, 'url'],
    ['a tab in the host', { url: 'http://127.0\t.0.1:9/hook' }, 'url'],
    ['a blank before the URL', { url: ' http://127.0.0.1:9/hook' }, 'url'],
    ['a line break behind the URL', { url: 'http://127.0.0.1:9/hook\r\n' }, 'url'],
    ['a control character in the URL', { url: 'http://127.0.0.1:9/\u0085' }, 'url'],
    ['a URL with a password', { url: 'http://user:pass@127.0.0.1:9/hook' }, 'url'],
    ['a URL of another scheme', { url: 'ftp://127.0.0.1/hook' }, 'url'],
    ['a URL with a fragment', { url: 'http://127.0.0.1:9/hook#part' }, 'url'],
    ['an address that is not public', { url: 'https://10.0.0.1/hook' }, 'url'],
    ['the metadata address', { url: 'http://169.254.169.254/latest' }, 'url'],
    ['a URL that is too long', { url: `http://127.0.0.1:9/${long(2048)}` }, 'url'],
    ['[FR-001] no types', { subscribedTypes: [] }, 'subscribedTypes'],
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
    ['an unknown dispatcher', { dispatcher: 'pigeon' }, 'dispatcher'],
    ['the dispatcher of handlers', { dispatcher: 'handler' }, 'dispatcher'],
    ['retry as text', { retry: 'often' }, 'retry'],
    ['no attempts', { retry: { maxAttempts: 0 } }, 'retry.maxAttempts'],
    ['an unknown field of retry', { retry: { jitter: 1 } }, 'retry.jitter'],
    ['timeoutMs as text', { timeoutMs: '10s' }, 'timeoutMs'],
    ['timeoutMs over five minutes', { timeoutMs: 300_001 }, 'timeoutMs'],
    ...['headers', 'signature'].map((name): [string, Record<string, unknown>, string] => [
      `${name}, which comes later`,
      { [name]: 'x' },
      name,
    ]),
  ];
  it.each(endpointFields)('POST /endpoints with %s', (_, fields, path) =>
    expectRefused(api, (client) => client.post('/endpoints', { ...good, ...fields }), path),
  );
  it.each(endpointFields)('PATCH /endpoints/:id with %s', (_, fields, path) =>
    expectRefused(api, (client) => client.patch(`/endpoints/${endpointId}`, fields), path),
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
    ['DELETE /endpoints/:id?dryRun', (c) => c.delete(`/endpoints/${endpointId}?dryRun=true`), 'dryRun'],
  ] satisfies [string, Call, string][])('%s', (_, call, path) => expectRefused(api, call, path));

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
