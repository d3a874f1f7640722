import { sql, type Kysely } from 'kysely';
import { hasExpired, type RetentionDays } from './expired-delivery.sql.js';

export interface PruneOrder extends RetentionDays {
  /** Walks on behind this delivery. */
  afterId: string;
  beforeId: string;
  limit: number;
}

export interface PrunedDeliveries {
  /** The last one looked at; null when there was none left. */
  lastId: string | null;
  delivered: number;
  deadLetters: number;
  /** Retained envelopes that no delivery needs any more. */
  envelopes: number;
}

/** Looks at a batch of deliveries, oldest first, and removes those that have expired. */
export async function pruneDeliveries(trx: Kysely<unknown>, order: PruneOrder): Promise<PrunedDeliveries> {
  const { rows } = await sql<PrunedDeliveries>`
    with walked as (
      select delivery_id from kernel_webhook_delivery
      where delivery_id > ${order.afterId}::uuid and delivery_id < ${order.beforeId}::uuid
      order by delivery_id
      limit ${order.limit}
    ), expired as (
      select d.delivery_id from kernel_webhook_delivery d
      where d.delivery_id in (select delivery_id from walked)
        and ${hasExpired(order)}
      for update of d skip locked
    ), deleted as (
      delete from kernel_webhook_delivery d using expired
      where d.delivery_id = expired.delivery_id
      returning d.delivery_id, d.event_id, d.status
    ), needless as (
      delete from kernel_retained_event r
      where r.event_id in (select event_id from deleted) and not exists (
        select from kernel_webhook_delivery d
        where d.event_id = r.event_id and d.delivery_id not in (select delivery_id from deleted)
      )
      returning r.event_id
    )
    select (select delivery_id from walked order by delivery_id desc limit 1) as "lastId",
      count(*) filter (where status = 'DELIVERED')::int as delivered,
      count(*) filter (where status = 'DLQ')::int as "deadLetters",
      (select count(*)::int from needless) as envelopes
    from deleted
  `.execute(trx);
  return rows[0]!;
}
