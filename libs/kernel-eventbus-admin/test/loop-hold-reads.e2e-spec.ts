import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { SealedLedger } from '@kernel/test-support/sealed-ledger';
import { TYPE } from '@kernel/test-support/admin-api';
import { UnheldApi } from './unheld-api.js';

const LARGE = 'large.v1';
const HASHED = 'hashed.v1';
const times = <Value>(count: number, make: (n: number) => Value) => Array.from({ length: count }, (_, n) => make(n));
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

/** Payloads close to the size limit. */
const payloads: [string, Record<string, unknown>][] = [
  ['130,000 numbers', { m: Array(130_000).fill(1) }],
  ['30,000 objects', { m: times(30_000, () => ({ a: 1 })) }],
  ['15,000 members', { m: Object.fromEntries(times(15_000, (n) => [`k${n}`, n])) }],
  ['arrays in arrays', { m: times(4_200, () => nested(29)) }],
  ['one long text', { m: ['x'.repeat(260_000)] }],
];
/** PostgreSQL writes each with 309 digits. */
const largeNumbers = { m: Array(37_000).fill(1e308) };

/** The maximum number of predicates per endpoint; none matches. */
const trying = (predicate: (n: number) => object) =>
  times(2, (half) => ({
    type: LARGE,
    match: 'any',
    predicates: times(50, (n) => ({ value: 'no', operator: 'equals', ...predicate(50 * half + n) })),
  }));
const dryRuns: [string, object[]][] = [
  ['lists of values', trying(() => ({ path: '$.m[*]', operator: 'in', value: times(100, (n) => -n - 1) }))],
  ['paths into each element', trying((n) => ({ path: `$.m[*].a${n || ''}` }))],
  ['paths as deep as they may be', trying((n) => ({ path: `$.m${'[*]'.repeat(31 - (n % 30))}` }))],
];

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();

describe('the event loop is not held by', () => {
  const tenantId = randomUUID();
  let unheld: UnheldApi;
  let eventIds: string[];
  beforeAll(async () => {
    unheld = await UnheldApi.start();
    eventIds = await fillEvents(unheld, tenantId);
    await fillRows(unheld, tenantId);
  });
  afterAll(() => unheld.close());

  it.each(dryRuns)('a dry run of 100 predicates over large events: %s', async (_, subscriptions) => {
    const draft = { tenantId, subscribedTypes: [LARGE], subscriptions };
    const tried = await unheld.expectUnheld({ route: 'POST /endpoints/dry-run', body: draft }, 200);
    expect(tried.text).toContain(`"checked":${payloads.length}`);
  });

  it('a dry run of a stored endpoint', async () => {
    const draft = { subscribedTypes: [LARGE], subscriptions: dryRuns[0]![1] };
    const { endpointId } = await unheld.api.createEndpoint(tenantId, draft);
    await unheld.expectUnheld({ route: `POST /endpoints/${endpointId}/dry-run`, body: {} }, 200);
    const order = { since: HOUR_AGO, reason: 'x'.repeat(500), dryRun: true };
    await unheld.expectUnheld({ route: `POST /endpoints/${endpointId}/replay-missing`, body: order }, 200);
    await unheld.api.operator.delete(`/endpoints/${endpointId}`).expect(204);
  });

  it.each(payloads.map(([what], n) => [what, n] as const))('an event with %s, previewed', async (_, n) => {
    await unheld.expectUnheld({ route: `POST /events/${eventIds[n]}/preview` }, 200);
    const body = {
      eventId: eventIds[n],
      rules: [
        { path: '$', action: 'keep' },
        { path: '$.m.k0', action: 'drop' },
      ],
    };
    await unheld.expectUnheld({ route: `POST /policies/${LARGE}/preview`, body }, 200);
  });

  it('an event with 37,000 large numbers, shown', async () => {
    const { eventId } = await unheld.api.publish(randomUUID(), { type: LARGE, payload: largeNumbers });
    await unheld.expectUnheld({ route: `GET /events/${eventId}` }, 200);
  });

  it('a body of 40,000 hashes', async () => {
    const { eventId, deliveryId } = await addHashed(unheld);
    const { bytes } = await unheld.expectUnheld({ route: `POST /events/${eventId}/preview` }, 200);
    expect(bytes).toBeGreaterThan(2_500_000);
    await unheld.expectUnheld({ route: `GET /deliveries/${deliveryId}/body` }, 200);
  });

  it.each([
    `/events?limit=200&type=${LARGE}`,
    '/events?limit=200',
    '/endpoints?limit=200',
    '/policies?limit=200',
    '/audit?limit=200&kind=policy-put',
    '/audit?limit=200',
    '/deliveries?limit=200',
    '/deliveries/groups',
    '/lanes?limit=200',
    '/tokens?limit=200',
    '/tenants?limit=200',
    '/operations?limit=200',
    '/endpoints/health',
    '/stats?window=7d',
    '/audit/export',
  ])('GET %s', async (path) => {
    await unheld.expectUnheld({ route: `GET ${path}` }, 200);
  });

  it('a verification of thousands of entries', async () => {
    const { sealer } = new SealedLedger(unheld.api.kernel);
    let sealed = 0;
    await waitFor(async () => (sealed += await sealer.seal()) >= 5_000, 'the entries to be sealed');
    const { text } = await unheld.expectUnheld({ route: 'POST /audit/verify', body: {} }, 200);
    expect(JSON.parse(text)).toMatchObject({ isIntact: true, verifiedEntries: sealed });
  });

  it('the largest orders', async () => {
    const filter = { status: 'DLQ', type: 'x'.repeat(160), errorClass: 'x'.repeat(120), tenantId, since: HOUR_AGO };
    const order = { reason: 'x'.repeat(500), dryRun: true };
    await unheld.expectUnheld({ route: 'POST /deliveries/replay', body: { filter, ...order } }, 200);
    await unheld.expectUnheld({ route: 'POST /deliveries/replay', body: { filter: { all: true }, ...order } }, 200);
    await unheld.expectUnheld({ route: 'POST /prune', body: { dryRun: true } }, 200);
    await unheld.expectUnheld({ route: 'POST /prune', body: {} }, 200);
  });

  it('a delivery with thousands of attempts', async () => {
    const { database } = unheld.api.kernel;
    const { endpointId } = await unheld.api.createEndpoint(tenantId);
    const deliveryId = await unheld.api.addDelivery(tenantId, endpointId!, 'DLQ');
    await database.query(
      `insert into kernel_ledger_entry (entry_id, kind, tenant_id, event_id, delivery_id, trace_id, actor, attempt, response_excerpt)
       select uuidv7(), 'attempt', tenant_id, event_id, delivery_id, trace_id, 'kernel', n, repeat('x', 1000)
       from kernel_webhook_delivery, generate_series(1, 5000) n where delivery_id = $1`,
      [deliveryId],
    );
    const { text } = await unheld.expectUnheld({ route: `GET /deliveries/${deliveryId}` }, 200);
    expect(text).toContain('"attemptLog":[{"attempt":4801,');
    await unheld.expectUnheld({ route: `GET /deliveries/${deliveryId}/body` }, 200);
  });
});

/** An event whose body is forty times its payload, and a delivery of it. */
async function addHashed({ api }: UnheldApi): Promise<{ eventId: string; deliveryId: string }> {
  const tenantId = randomUUID();
  const rules = [{ path: '$.m[*]', action: 'hash' }];
  const { body: policy } = await api.operator.put(`/policies/${HASHED}`, { rules }).expect(200);
  const { endpointId } = await api.createEndpoint(tenantId, { subscribedTypes: [HASHED] });
  await api.createEndpoint(tenantId, { subscribedTypes: [HASHED] });
  const { eventId } = await api.publish(tenantId, { type: HASHED, payload: { m: Array(40_000).fill(1) } });
  const deliveryId = randomUUID();
  const { database } = api.kernel;
  await database.query(
    `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at)
     values ($1, $2, $3, $4, $5, 'trace-0001', now())`,
    [deliveryId, tenantId, endpointId, eventId, HASHED],
  );
  await database.query(
    `insert into kernel_ledger_entry (entry_id, kind, tenant_id, event_id, delivery_id, trace_id, actor, attempt, policy_id,
       policy_version, removed_paths, body_sha256)
     values (uuidv7(), 'attempt', $1, $2, $3, 'trace-0001', 'kernel', 1, $4, $5, 0, 'x')`,
    [tenantId, eventId, deliveryId, policy.policyId, policy.version],
  );
  return { eventId, deliveryId };
}

async function fillEvents({ api }: UnheldApi, tenantId: string): Promise<string[]> {
  const eventIds: string[] = [];
  for (const [, payload] of payloads) {
    eventIds.push((await api.publish(tenantId, { type: LARGE, payload })).eventId);
  }
  await api.kernel.database.query(`update kernel_outbox_event set status = 'PUBLISHED', published_at = now()`);
  return eventIds;
}

/** More than a page of the largest possible rows of each kind. */
async function fillRows({ api }: UnheldApi, tenantId: string): Promise<void> {
  const { database } = api.kernel;
  const rules = times(500, (n) => ({ path: `$.${`r${n}`.padEnd(200, 'x')}`, action: 'truncate', length: 1_000 }));
  for (const type of [LARGE, TYPE, TYPE]) {
    await api.operator.put(`/policies/${type}`, { rules }).expect(200);
  }
  const manyValues = trying(() => ({ path: '$.a', operator: 'in', value: Array(100).fill(1) }));
  await database.query(
    `insert into kernel_webhook_endpoint
       (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias, subscriptions, is_external)
     select uuidv7(), $1, 'http://127.0.0.1:9/hook', array[$2], 'alias', $3, n % 2 = 0 from generate_series(1, 60) n`,
    [tenantId, LARGE, JSON.stringify(manyValues)],
  );
  await database.query(
    `insert into kernel_outbox_event
       (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
     select uuidv7(), $1, 's', $2, now(), 'trace-0001', $3, 'hash', 'PUBLISHED' from generate_series(1, 250) n`,
    [randomUUID(), TYPE, JSON.stringify({ m: Array(2_000).fill({ a: 1 }) })],
  );
  await database.query(
    `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status,
       error_class, last_error, dispatched_at, settled_at)
     select uuidv7(), $1, $2, gen_random_uuid(), $3, 'trace-0001', 'DLQ', 'class-' || n % 300, repeat('x', 2000), now(), now()
     from generate_series(1, 3000) n`,
    [tenantId, randomUUID(), LARGE],
  );
  await database.query(
    `insert into kernel_ledger_entry (entry_id, kind, tenant_id, trace_id, actor, detail, response_excerpt)
     select uuidv7(), case when n % 150 = 0 then 'policy-put' else 'attempt' end, $1, 'trace-0001', 'kernel',
       case when n % 150 = 0 then $2::jsonb end, repeat('x', 1000)
     from generate_series(1, 5000) n`,
    [tenantId, JSON.stringify({ before: { rules }, after: { rules } })],
  );
}
