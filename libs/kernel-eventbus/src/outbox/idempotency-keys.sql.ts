import { sql, type Kysely } from 'kysely';
import { columnsOf } from '@kernel/runtime';
import type { KeyedEvent, KeyHolder } from './keyed-event.js';

/**
 * Inserts the free keys in the caller's transaction and returns the ids of their events. Waits for a key that another
 * open transaction has inserted. Keys are sorted, so that two transactions cannot deadlock.
 */
export async function claimIdempotencyKeys(db: Kysely<unknown>, events: readonly KeyedEvent[]): Promise<string[]> {
  const { plain, text } = columnsOf(events);
  const { rows } = await sql<{ event_id: string }>`
    insert into kernel_idempotency_key (
      tenant_id, key, event_id, stream_key, type, occurred_at, trace_id, actor_id, payload_hash, attributes_hash
    )
    select * from unnest(
      ${plain('tenantId')}::uuid[], ${text('key')}::text[], ${plain('eventId')}::uuid[], ${text('streamKey')}::text[],
      ${text('type')}::text[], ${plain('occurredAt')}::timestamptz[], ${text('traceId')}::text[],
      ${plain('actorId')}::uuid[], ${plain('payloadHash')}::text[], ${plain('attributesHash')}::text[]
    ) as e (
      tenant_id, key, event_id, stream_key, type, occurred_at, trace_id, actor_id, payload_hash, attributes_hash
    )
    order by tenant_id, key
    on conflict (tenant_id, key) do nothing
    returning event_id
  `.execute(db);
  return rows.map((row) => row.event_id);
}

/** The events that hold these keys. A separate statement, so that it sees the rows for which the claim waited. */
export async function findKeyHolders(
  db: Kysely<unknown>,
  events: readonly KeyedEvent[],
  windowDays: number,
): Promise<KeyHolder[]> {
  const { plain, text } = columnsOf(events);
  const { rows } = await sql<KeyHolder>`
    select k.tenant_id as "tenantId", k.key, k.event_id as "eventId", k.stream_key as "streamKey", k.type,
      to_char(k.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "occurredAt",
      k.trace_id as "traceId", k.actor_id as "actorId", k.payload_hash as "payloadHash",
      k.attributes_hash as "attributesHash",
      k.created_at < clock_timestamp() - ${windowDays}::int * interval '24 hours' as "isExpired"
    from kernel_idempotency_key k
    join unnest(${plain('tenantId')}::uuid[], ${text('key')}::text[]) as asked (tenant_id, key)
      on k.tenant_id = asked.tenant_id and k.key = asked.key
  `.execute(db);
  return rows;
}

/** Deletes the keys that are held by exactly these events. */
export async function releaseIdempotencyKeys(db: Kysely<unknown>, events: readonly KeyedEvent[]): Promise<void> {
  const { plain, text } = columnsOf(events);
  await sql`
    delete from kernel_idempotency_key k
    using unnest(
      ${plain('tenantId')}::uuid[], ${text('key')}::text[], ${plain('eventId')}::uuid[]
    ) as released (tenant_id, key, event_id)
    where k.tenant_id = released.tenant_id and k.key = released.key and k.event_id = released.event_id
  `.execute(db);
}

/** Deletes a batch of expired keys, oldest first, and returns their number. */
export async function pruneIdempotencyKeys(db: Kysely<unknown>, windowDays: number, limit: number): Promise<number> {
  const { rows } = await sql`
    with expired as (
      select tenant_id, key from kernel_idempotency_key
      where created_at < now() - ${windowDays}::int * interval '24 hours'
      order by created_at
      limit ${limit}
      for update skip locked
    )
    delete from kernel_idempotency_key k using expired
    where k.tenant_id = expired.tenant_id and k.key = expired.key
    returning k.event_id
  `.execute(db);
  return rows.length;
}
