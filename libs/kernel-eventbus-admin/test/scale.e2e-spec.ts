import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { WebhookDeliveryEntity } from '@kernel/eventbus';
import { measurePresent } from '../src/activity/measure-present.sql.js';
import {
  readActivity,
  readHealth,
  lowestIdAt,
  defined,
  ledgerConditions,
  type LedgerFilter,
} from '@kernel/eventbus/engine';
import { LedgerEntryEntity } from '@kernel/ledger';

import { deliveryConditions, type DeliverySearch } from '../src/deliveries/delivery-search.js';
import { selectDeadLetterGroups } from '../src/deliveries/select-dead-letter-groups.sql.js';
import { selectEvents, type EventFilter } from '../src/events/events.sql.js';
import { selectTenants } from '../src/tenants/select-tenants.sql.js';
import { findChanges } from '../src/live/find-changes.sql.js';
import { AdminApi, readAllPages } from '@kernel/test-support/admin-api';
import { ExplainedDatabase } from './explained.js';

const ROWS = 24_000;
/**
 * A search by time reads an hour of rows, plus a margin for ids. The time of day decides how many are in today's
 * partition; a small rest in the other partition is read with a full scan.
 */
const FEW = 8_000;

const tenantOf = (n: number) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`;
const tenantId = tenantOf(7);
const endpointId = '00000000-0000-4000-9000-000000000007';

describe(`with ${ROWS} deliveries behind it`, () => {
  let api: AdminApi;
  let explained: ExplainedDatabase;
  beforeAll(async () => {
    api = await AdminApi.start();
    await fill(api);
    explained = await ExplainedDatabase.open(api.kernel.database.appUrl);
  });
  afterAll(async () => {
    await explained.close();
    await api.close();
  });

  async function expectFew(work: (db: Kysely<unknown>) => Promise<unknown>): Promise<void> {
    const explanations = await explained.during(work);
    expect(explanations.length).toBeGreaterThan(0);
    for (const { read } of explanations) {
      expect(read).toBeLessThan(FEW);
    }
  }

  it.each<[string, (db: Kysely<unknown>) => Promise<unknown>]>([
    ['the present of all', (db) => measurePresent(db, {})],
    ['the present of a tenant', (db) => measurePresent(db, { tenantId })],
    ['the present of an endpoint', (db) => measurePresent(db, { tenantId, endpointId })],
    ['changes', (db) => findChanges(db, { sinceId: lowestIdAt(Date.now() - 10_000), limit: 500 })],
    ['groups of dead letters', (db) => selectDeadLetterGroups(db, undefined)],
    ["groups of a tenant's dead letters", (db) => selectDeadLetterGroups(db, tenantId)],
  ])('%s are found by indexes that hold only what waits', async (_, work) => {
    await explained.useIndexes(true);
    await expectFew(work);
    await explained.useIndexes(false);
  });

  it.each<[string, (db: Kysely<unknown>) => Promise<unknown>]>([
    ['tenants', (db) => selectTenants(db, { after: tenantOf(0), limit: 51 })],
    ['a week of all', (db) => readActivity(db, {}, { stepSeconds: 1_800, fromMs: Date.now() - 604_800_000 })],
    [
      'an hour of a tenant',
      (db) => readActivity(db, { tenantId }, { stepSeconds: 60, fromMs: Date.now() - 3_600_000 }),
    ],
    ['a day of endpoints', (db) => readHealth(db, { tenantId, stepSeconds: 1_800, fromMs: 0, endpoints: 200 })],
  ])('%s are found without reading the rest', async (_, work) => {
    await expectFew(work);
  });

  const recent = new Date(Date.now() - 60_000).toISOString();
  it.each<[string, Partial<EventFilter>]>([
    ['nothing', {}],
    ['its id', { eventId: randomUUID() }],
    ['tenant', { tenantId }],
    ['tenant and stream', { tenantId, streamKey: 's:77' }],
    ['status', { status: 'PENDING' }],
    ['trace', { traceId: 'trace-77' }],
    ['time', { since: recent }],
    ['time and type', { since: recent, type: 'rare.v1' }],
    ['a common type', { type: 'common.v1' }],
  ])('events are found by %s without reading all of them', async (_, filter) => {
    await expectFew((db) => selectEvents(db, { limit: 51, ...filter }));
  });

  it.each<[string, Partial<DeliverySearch>]>([
    ['nothing', {}],
    ['tenant', { tenantId }],
    ['event', { eventId: randomUUID() }],
    ['trace', { traceId: 'trace-77' }],
    ["a tenant's stream", { streamKey: 's:7', tenantId }],
    ['dead letters', { status: 'DLQ' }],
    ['what waits', { status: 'FAILED' }],
    ["a tenant's dead letters", { status: 'DLQ', tenantId }],
    ['what is delivered', { status: 'DELIVERED', tenantId }],
    ['endpoint', { endpointId }],
    ['time', { since: recent }],
    ['time and type', { since: recent, type: 'rare.v1' }],
    ['a time long ago', { until: '2020-01-01T00:00:00Z' }],
  ])('deliveries are found by %s without reading all of them', async (_, filter) => {
    const query = api.kernel.em
      .fork()
      .createQueryBuilder(WebhookDeliveryEntity)
      .where(deliveryConditions({ limit: 50, ...filter }) as never)
      .orderBy({ deliveryId: 'desc' })
      .limit(51);
    await expectFew(() => explained.explain(query.getFormattedQuery()));
  });

  it.each<[string, LedgerFilter]>([
    ['dead letters', { kind: 'dead-lettered' }],
    ['replays', { kind: 'replayed' }],
    ['event and kind', { eventId: randomUUID(), kind: 'dead-lettered' }],
    ['trace', { traceId: 'trace-77' }],
    ['trace and kind', { traceId: 'trace-77', kind: 'delivered' }],
  ])("a tenant's entries of the ledger are found by %s without reading all of them", async (_, filter) => {
    const { eventId, traceId } = filter;
    const em = api.kernel.em.fork();
    const $and = ledgerConditions(filter);
    const query = em
      .createQueryBuilder(LedgerEntryEntity)
      .where(defined({ eventId, traceId, tenantId: tenantOf(8), $and }) as never)
      .orderBy({ entryId: 'desc' })
      .limit(51);
    await expectFew(() => explained.explain(query.getFormattedQuery()));
  });

  it.each(['/events', '/deliveries'])(
    'what is rare in %s is found page by page, none of which reads everything',
    async (path) => {
      const client = api.operator;
      const { body } = await client.get(path, { type: 'rare.v1' }).expect(200);
      expect(body).toEqual({ items: [], nextCursor: expect.any(String) });
      const { items, pages } = await readAllPages(client, path, { type: 'rare.v1' });
      expect(items).toHaveLength(3);
      expect(pages).toBe(2);
      const { items: common } = await readAllPages(client, path, { type: 'rare.v1', tenantId });
      expect(common).toHaveLength(0);
    },
  );
});

/**
 * One event every three seconds, backwards in time. The oldest three are of a rare type; a few are pending or dead
 * letters.
 */
async function fill(api: AdminApi): Promise<void> {
  const { database } = api.kernel;
  const tenant = `('00000000-0000-4000-8000-0000000000' || lpad((n % 50)::text, 2, '0'))::uuid`;
  const endpoint = `('00000000-0000-4000-9000-0000000000' || lpad((n % 50)::text, 2, '0'))::uuid`;
  const type = `case when n > ${ROWS - 3} then 'rare.v1' else 'common.v1' end`;
  const ago = `n * interval '3 seconds'`;
  await database.query(
    `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
     select ${endpoint}, ${tenant}, 'https://example.com', '{t.v1}', 'alias' from generate_series(1, 49) n`,
  );
  await database.query(
    `insert into kernel_outbox_event
       (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at)
     select uuidv7(-${ago}), ${tenant}, 's:' || n, ${type}, now(), 'trace-' || n, '{}', 'hash',
       case when n <= 100 then 'PENDING' else 'PUBLISHED' end, now() - ${ago}
     from generate_series(1, ${ROWS}) n`,
  );
  await database.query(
    `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status,
       next_attempt_at, dispatched_at, settled_at, created_at)
     select uuidv7(-${ago}), ${tenant}, ${endpoint}, gen_random_uuid(), ${type}, 'trace-' || n,
       case when n <= 100 then 'FAILED' when n <= 200 then 'DLQ' else 'DELIVERED' end, now() - ${ago}, now(),
       case when n > 100 then now() end, now() - ${ago}
     from generate_series(1, ${ROWS}) n`,
  );
  await database.query(
    `insert into kernel_ledger_entry (entry_id, kind, conclusion, tenant_id, event_id, delivery_id, trace_id, actor)
     select uuidv7(-${ago}), case when n % 2 = 0 then 'attempt' else 'published' end,
       case when n % 2 = 0 then case when n <= 200 then 'dead-lettered' else 'delivered' end end, ${tenant},
       gen_random_uuid(), gen_random_uuid(), 'trace-' || n, 'kernel'
     from generate_series(1, ${ROWS}) n`,
  );
  await database.query(
    `insert into kernel_activity
     select ${tenant}, ${endpoint}, 1800, now() - step * interval '30 minutes', 1, 1, 0, 0, '{1}'
     from generate_series(0, 49) n, generate_series(0, 120) step`,
  );
  await database.query('analyze');
}
