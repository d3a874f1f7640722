import { sql, type Kysely } from 'kysely';
import { columnsOf } from '@kernel/runtime';
import { hasExpired, type RetentionDays } from '../deliveries/pruning.sql.js';
import type { PartitionContent } from './partitions.sql.js';
import { lowestIdAt, type PartitionRange } from '../envelope/partition-range.js';

export interface ForeseenPartition extends PartitionContent {
  /** Recently created events with an old id. */
  young: number;
}

/** Content of a partition, and the number of envelopes to retain if it were dropped. */
export async function foreseePartition(
  db: Kysely<unknown>,
  range: PartitionRange,
  createdBeforeMs: number,
): Promise<ForeseenPartition> {
  const [from, to] = [lowestIdAt(range.fromMs), lowestIdAt(range.toMs)];
  const { rows } = await sql<ForeseenPartition>`
    select count(*)::int as events, count(*) filter (where status = 'PENDING')::int as pending,
      count(*) filter (where created_at >= to_timestamp(${createdBeforeMs}::float8 / 1000))::int as young,
      count(*) filter (where exists (
        select from kernel_webhook_delivery d where d.event_id = e.event_id and d.status <> 'DELIVERED'
      ))::int as retained
    from kernel_outbox_event e where event_id >= ${from}::uuid and event_id < ${to}::uuid
  `.execute(db);
  return rows[0]!;
}

/** Events of the default partition to remove after the expired deliveries. */
export async function foreseeDefaultEvents(
  db: Kysely<unknown>,
  createdBeforeMs: number,
  deliveriesBeforeId: string,
  expiry: RetentionDays,
): Promise<number> {
  const { rows } = await sql<{ events: number }>`
    select count(*)::int as events from kernel_outbox_event_default e
    where e.status = 'PUBLISHED'
      and e.created_at < least(
        to_timestamp(${createdBeforeMs}::float8 / 1000), clock_timestamp() - kernel_least_event_age()
      )
      and not exists (
        select from kernel_webhook_delivery d
        where d.event_id = e.event_id and d.status <> 'DELIVERED'
          and (d.delivery_id < ${deliveriesBeforeId}::uuid and ${hasExpired(expiry)}) is not true
      )
  `.execute(db);
  return rows[0]!.events;
}

/** Deliveries to remove after these partitions. */
export async function foreseeDeliveries(
  db: Kysely<unknown>,
  beforeId: string,
  expiry: RetentionDays,
  leaving: readonly PartitionRange[],
): Promise<{ delivered: number; deadLetters: number }> {
  const { plain } = columnsOf(
    leaving.map(({ fromMs, toMs }) => ({ fromId: lowestIdAt(fromMs), toId: lowestIdAt(toMs) })),
  );
  const isLeaving = sql`exists (
    select from unnest(${plain('fromId')}::uuid[], ${plain('toId')}::uuid[]) as p (from_id, to_id)
    where e.event_id >= p.from_id and e.event_id < p.to_id
  )`;
  const { rows } = await sql<{ delivered: number; deadLetters: number }>`
    select count(*) filter (where d.status = 'DELIVERED')::int as delivered,
      count(*) filter (where d.status = 'DLQ')::int as "deadLetters"
    from kernel_webhook_delivery d
    where d.delivery_id < ${beforeId}::uuid and ${hasExpired(expiry, isLeaving)}
  `.execute(db);
  return rows[0]!;
}
