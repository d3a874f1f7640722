import type pg from 'pg';
import { EVENT_TYPE, makePayload, TENANT_ID } from '../webhook/event.ts';

/** Days of history, each with its own partition of the outbox. */
const DAYS = 35;
/** Left out of each payload: history is deep, not wide. */
const SPARE_BYTES = 300;
const EVENTS_PER_STREAM = 10;

/**
 * Rows `$1` to `$2` of `$3`, spread evenly over the days before today. `$4` is the tenant. The ids ascend as UUIDv7 do;
 * the digit tells the tables apart.
 */
const HISTORY = `
  generate_series($1::bigint, $2::bigint) as place
  cross join lateral (
    select date_trunc('day', now(), 'UTC') - ${DAYS} * interval '1 day' * (1 - (place - 1)::float8 / $3::bigint) as at
  ) moment
  cross join lateral (select lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') as hex) prefix
  cross join (select $4::uuid as tenant_id) tenant
`;
const idOf = (digit: number) =>
  `(left(hex, 8) || '-' || right(hex, 4) || '-700${digit}-8000-' || lpad(to_hex(place), 12, '0'))::uuid`;

const EVENTS = `
  insert into kernel_outbox_event
    (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at,
     published_at)
  select ${idOf(0)}, tenant_id, 'invoice:past-' || place / ${EVENTS_PER_STREAM}, '${EVENT_TYPE}', at, md5(place::text),
    '${JSON.stringify(makePayload(SPARE_BYTES))}'::jsonb, md5(place::text), 'PUBLISHED', at, at
  from ${HISTORY}
`;
const DELIVERIES = `
  insert into kernel_webhook_delivery
    (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, attempts, last_status_code, trace_id,
     dispatched_at, settled_at, created_at)
  select ${idOf(1)}, tenant_id, (select endpoint_id from kernel_webhook_endpoint limit 1), ${idOf(0)}, '${EVENT_TYPE}',
    'DELIVERED', 1, 204, md5(place::text), at, at, at
  from ${HISTORY}
`;
const LEDGER = `
  insert into kernel_ledger_entry
    (entry_id, recorded_at, kind, tenant_id, event_id, event_type, delivery_id, trace_id, actor, conclusion)
  select case entry.kind when 'attempt' then ${idOf(3)} else ${idOf(2)} end, at, entry.kind, tenant_id, ${idOf(0)},
    '${EVENT_TYPE}', ${idOf(1)}, md5(place::text), 'kernel', entry.conclusion
  from ${HISTORY} cross join (values ('published', null), ('attempt', 'delivered')) as entry (kind, conclusion)
`;
const STREAMS = `
  insert into kernel_stream (tenant_id, stream_key, last_sequence)
  select $2::uuid, 'invoice:past-' || place, ${EVENTS_PER_STREAM}
  from generate_series(0, $1::bigint / ${EVENTS_PER_STREAM}) as place
`;
const PARTITIONS = `
  select kernel_make_outbox_partition(
    'kernel_outbox_event_p' || to_char(day, 'YYYYMMDD') || '_00', pg_temp.lowest_id(day), pg_temp.lowest_id(day + 1), 0,
    false
  )
  from generate_series(1, ${DAYS}) as age, lateral (select (now() at time zone 'UTC')::date - age as day) past
`;
const LOWEST_ID = `
  create function pg_temp.lowest_id(day date) returns uuid language sql return
    rpad(lpad(to_hex((extract(epoch from day) * 1000)::bigint), 12, '0'), 32, '0')::uuid
`;

/**
 * History of five weeks: published events, delivered at the first attempt, with their ledger entries. `connect` returns
 * connections of the owner: one for each large table, which are filled side by side.
 */
export async function seedSettled(connect: () => Promise<pg.Client>, count: number): Promise<void> {
  const clients = await Promise.all([connect(), connect(), connect()]);
  const [first] = clients;
  try {
    await first.query(LOWEST_ID);
    await first.query(PARTITIONS);
    await first.query(STREAMS, [count, TENANT_ID]);
    await Promise.all([EVENTS, DELIVERIES, LEDGER].map((insert, table) => insertByDay(clients[table]!, insert, count)));
    await first.query('vacuum (analyze)');
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function insertByDay(client: pg.Client, insert: string, count: number): Promise<void> {
  const perDay = Math.ceil(count / DAYS);
  for (let from = 1; from <= count; from += perDay) {
    await client.query(insert, [from, Math.min(count, from + perDay - 1), count, TENANT_ID]);
  }
}
