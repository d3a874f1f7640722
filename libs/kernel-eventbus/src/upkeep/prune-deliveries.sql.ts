import { sql, type Kysely } from 'kysely';

export interface PruneOrder {
  /** Walks on behind this delivery. */
  afterId: string;
  beforeId: string;
  limit: number;
  publishedDays: number;
  deliveryDays: number;
  deadLetterDays: number;
}

export interface PrunedDeliveries {
  /** The last one looked at; null when there was none left. */
  lastId: string | null;
  delivered: number;
  deadLetters: number;
  /** Retained envelopes that no delivery needs any more. */
  envelopes: number;
}

/**
 * Looks at a batch of deliveries, oldest first, and removes those that were settled long ago. A delivery lives at least as
 * long as its event, which is gone with its partition; only the default partition is never dropped, so there the event's age
 * decides. The dead letter that blocks a lane stays until somebody decides about it.
 */
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
        and d.settled_at < clock_timestamp() - case d.status
          when 'DELIVERED' then ${order.deliveryDays}::int when 'DLQ' then ${order.deadLetterDays}::int
        end * interval '1 day'
        and not exists (
          select from kernel_outbox_event e
          where e.event_id = d.event_id and not (
            e.tableoid = 'kernel_outbox_event_default'::regclass
            and e.created_at < clock_timestamp() - ${order.publishedDays}::int * interval '1 day'
          )
        )
        and not exists (select from kernel_lane l where l.lane_id = d.lane_id and l.blocked_by = d.delivery_id)
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
