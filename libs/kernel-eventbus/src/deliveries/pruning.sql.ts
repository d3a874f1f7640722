import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isOpen } from './queues.sql.js';

export interface RetentionDays {
  publishedDays: number;
  deliveryDays: number;
  deadLetterDays: number;
}

/**
 * Delivery `d` finished long ago and is needed by nothing. It lives at least as long as its event, which goes with its
 * partition; only the default partition is never dropped, so there the event's age decides. The dead letter that blocks
 * a lane stays until an operator decides. `isLeaving` names events `e` that are about to go.
 */
export function hasExpired(
  { publishedDays, deliveryDays, deadLetterDays }: RetentionDays,
  isLeaving: RawBuilder<unknown> = sql`false`,
): RawBuilder<unknown> {
  return sql`
    d.settled_at < clock_timestamp() - case d.status
      when 'DELIVERED' then ${deliveryDays}::int when 'DLQ' then ${deadLetterDays}::int
    end * interval '1 day'
    and not exists (
      select from kernel_outbox_event e
      where e.event_id = d.event_id and not (
        e.tableoid = 'kernel_outbox_event_default'::regclass
        and e.created_at < clock_timestamp() - ${publishedDays}::int * interval '1 day'
      ) and not (${isLeaving})
    )
    and not exists (select from kernel_lane l where l.lane_id = d.lane_id and l.blocked_by = d.delivery_id)
  `;
}

export interface PruneRequest extends RetentionDays {
  /** Starts behind this delivery. */
  afterId: string;
  beforeId: string;
  limit: number;
}

export interface PrunedDeliveries {
  /** The last delivery of the batch; null when there was none left. */
  lastId: string | null;
  delivered: number;
  deadLetters: number;
  /** Retained envelopes that no delivery needs any more. */
  envelopes: number;
}

/**
 * Delivery: DELIVERED, DLQ --> [*] (expired). Reads a batch of deliveries, oldest first, and deletes the expired ones.
 */
export async function pruneDeliveries(trx: Kysely<unknown>, request: PruneRequest): Promise<PrunedDeliveries> {
  const { rows } = await sql<PrunedDeliveries>`
    with walked as (
      select delivery_id from kernel_webhook_delivery
      where delivery_id > ${request.afterId}::uuid and delivery_id < ${request.beforeId}::uuid
      order by delivery_id
      limit ${request.limit}
    ), expired as (
      select d.delivery_id from kernel_webhook_delivery d
      where d.delivery_id in (select delivery_id from walked)
        and ${hasExpired(request)}
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

/**
 * Lane: resting --> [*] (endpoint deleted a day ago, when every router has noticed). Other lanes stay, because each
 * knows the sequence that it sent last; so do streams, because their sequences have no gaps.
 */
export async function pruneLanes(db: Kysely<unknown>, limit: number): Promise<number> {
  const { rows } = await sql`
    with needless as (
      select l.lane_id
      from kernel_webhook_endpoint p join kernel_lane l on l.endpoint_id = p.endpoint_id
      where p.deleted_at < clock_timestamp() - interval '1 day'
        and (l.lease_until is null or l.lease_until < clock_timestamp())
        and not exists (
          select from kernel_webhook_delivery d where d.lane_id = l.lane_id and ${isOpen('d')}
        )
      limit ${limit}
      for update of l skip locked
    )
    delete from kernel_lane l using needless where l.lane_id = needless.lane_id returning l.lane_id
  `.execute(db);
  return rows.length;
}
