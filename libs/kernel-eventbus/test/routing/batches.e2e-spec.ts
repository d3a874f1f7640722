import { randomUUID } from 'node:crypto';
import { type BroadcastMiddleware } from '../../src/dispatch/broadcast-middleware.js';
import { CompiledQuery, sql } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { claimPendingEvents } from '../../src/routing/pending-events.sql.js';
import { Router } from '../../src/routing/router.js';
import { inHotTransaction } from '@kernel/runtime';
import { Slots } from '../../src/worker/slots.js';
import { NO_ROOM } from './no-room.js';

const MAX_ROWS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

const broadcasts: { eventId: string; deliveries: number }[] = [];
const counting: BroadcastMiddleware = {
  name: 'counting',
  broadcast: async ({ eventId }, next) => {
    const { deliveries } = await next();
    broadcasts.push({ eventId, deliveries });
  },
};

describe.each([
  ['without middleware', []],
  ['with middleware', [counting]],
])('a batch of events, %s', (_, broadcastMiddleware) => {
  let kernel: KernelApp;
  let tenantId: string;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', broadcastMiddleware });
    await kernel.database.query('create table written (place serial, rows int)');
    await kernel.database.query(`
      create function note_rows() returns trigger language plpgsql as
        'begin insert into written (rows) select count(*) from inserted; return null; end'
    `);
    for (const table of ['kernel_webhook_delivery', 'kernel_lane']) {
      await kernel.database.query(
        `create trigger note_rows after insert on ${table} referencing new table as inserted
         for each statement execute function note_rows()`,
      );
    }
  });
  afterAll(() => kernel.close());
  beforeEach(async () => {
    tenantId = randomUUID();
    broadcasts.length = 0;
    await kernel.database.query('truncate written');
  });

  const addEndpoints = (count: number, ordering = 'none') =>
    kernel.database.query(
      `insert into kernel_webhook_endpoint
         (endpoint_id, tenant_id, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering)
       select gen_random_uuid(), $1, 'http://127.0.0.1:9/hook', 'http://127.0.0.1:9/hook', array['t.v1'], 'alias', false, $3
       from generate_series(1, $2::int)`,
      [tenantId, count, ordering] as never[],
    );
  const publish = (count: number, payload: Record<string, unknown> = {}, tenant = tenantId) =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, () => ({
          tenantId: tenant,
          type: 't.v1',
          streamKey: 's',
          traceId: 'trace-0001',
          payload,
        })),
        { em },
      ),
    );
  const routeAll = async (limit = 250) => {
    const routed: number[] = [];
    for (let batch; (batch = await kernel.app.get(Router).routeBatch(NO_ROOM, { limit })).routed > 0;) {
      routed.push(batch.routed);
    }
    return routed;
  };
  const expectRouted = async (events: { eventId: string }[], endpoints: number) => {
    const rows = await kernel.database.query<{ event_id: string; deliveries: number; entries: string[] }>(
      `select e.event_id,
         (select count(distinct endpoint_id)::int from kernel_webhook_delivery d where d.event_id = e.event_id) as deliveries,
         array(select detail ->> 'deliveries' from kernel_ledger_entry l
           where l.event_id = e.event_id and l.kind = 'published') as entries
       from kernel_outbox_event e where tenant_id = $1 and status = 'PUBLISHED'`,
      [tenantId],
    );
    const expected = { deliveries: endpoints, entries: [String(endpoints)] };
    expect(new Map(rows.map((row) => [row.event_id, { deliveries: row.deliveries, entries: row.entries }]))).toEqual(
      new Map(events.map(({ eventId }) => [eventId, expected])),
    );
    const [most] = await kernel.database.query<{ rows: number }>('select max(rows) as rows from written');
    expect(most!.rows).toBeLessThanOrEqual(MAX_ROWS);
    if (broadcastMiddleware.length > 0) {
      expect(broadcasts.map(({ eventId }) => eventId).sort()).toEqual(events.map(({ eventId }) => eventId).sort());
      expect(broadcasts.every(({ deliveries }) => deliveries === endpoints)).toBe(true);
    }
  };

  it('has few enough deliveries for one statement', async () => {
    await addEndpoints(300);
    const events = await publish(12);
    await routeAll();
    await expectRouted(events, 300);
  });

  it('is one event, written in slices, where that has more', async () => {
    await addEndpoints(1_300);
    await addEndpoints(1_200, 'stream');
    const events = await publish(3);
    await routeAll();
    await expectRouted(events, 2_500);
    const lanes = await kernel.database.query<{ sequences: number[]; previous: (number | null)[] }>(
      `select array_agg(stream_sequence::int order by stream_sequence) as sequences,
         array_agg(previous_sequence::int order by stream_sequence) as previous
       from kernel_webhook_delivery where tenant_id = $1 and lane_id is not null group by lane_id`,
      [tenantId],
    );
    expect(lanes).toHaveLength(1_200);
    expect(lanes.every(({ sequences }) => sequences.join() === '1,2,3')).toBe(true);
    expect(lanes.every(({ previous }) => previous.slice(1).join() === '1,2')).toBe(true);
  });

  it('has payloads of few bytes together', async () => {
    await addEndpoints(1);
    const events = await publish(40, { text: 'x'.repeat(200_000) });
    const sizes: number[] = [];
    for (let batch; ;) {
      const room = new Slots({ total: 100, perEndpoint: 100, prefetch: 1 }).reserve(100);
      batch = await kernel.app.get(Router).routeBatch(room, { limit: 250 });
      if (batch.routed === 0) {
        break;
      }
      sizes.push(batch.leased.reduce((sum, { payloadJson }) => sum + payloadJson.length, 0));
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_BYTES + 256 * 1024);
    await expectRouted(events, 1);
  });

  it('has events of each tenant, however many an earlier one published', async () => {
    await addEndpoints(1);
    await publish(100);
    const others = Array.from({ length: 12 }, () => randomUUID());
    for (const other of others) {
      await publish(3, {}, other);
    }
    const served = new Set<string>();
    // Without middleware, the first batch detects that more events wait than it can take.
    for (let batch = 0; batch < 5; batch++) {
      await kernel.app.get(Router).routeBatch(NO_ROOM, { limit: 10 });
      const rows = await kernel.database.query<{ tenant_id: string }>(
        `select distinct tenant_id from kernel_outbox_event where status = 'PUBLISHED'`,
      );
      rows.forEach((row) => served.add(row.tenant_id));
    }
    expect(others.filter((other) => !served.has(other))).toEqual([]);
    await routeAll();
  });
});

describe('a claim of events', () => {
  it('reads a few times its batch while 10,000 tenants wait', async () => {
    const kernel = await startKernelApp({ role: 'api' });
    await kernel.database.query(
      `insert into kernel_outbox_event (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash)
       select gen_random_uuid(), gen_random_uuid(), 's', 't.v1', now(), 'trace-0001', '{}', '' from generate_series(1, 10000)`,
    );
    await kernel.database.query('analyze kernel_outbox_event');
    const statement = claimPendingEvents({ limit: 60, afterTenantId: randomUUID(), exceptTenantIds: [] });
    const { claimed, reads } = await kernel.em
      .fork()
      .getKysely<unknown>()
      .transaction()
      .execute((db) =>
        inHotTransaction(db, async (trx) => {
          const { rows } = await trx.executeQuery(CompiledQuery.raw(statement.text, [...statement.values]));
          const { rows: stats } = await sql<{ reads: number }>`
            select sum(idx_tup_fetch + seq_tup_read)::int as reads
            from pg_stat_xact_user_tables where relname like 'kernel_outbox_event%'
          `.execute(trx);
          return { claimed: rows.length, reads: stats[0]!.reads };
        }),
      );
    expect(claimed).toBe(60);
    expect(reads).toBeLessThan(60 * 10);
    await kernel.close();
  });
});
