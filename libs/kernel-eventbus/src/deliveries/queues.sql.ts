import { sql, type RawBuilder } from 'kysely';

/** Delivery `d` is PENDING or FAILED. */
export function isOpen(d: string): RawBuilder<unknown> {
  return sql.raw(openText(d));
}

function openText(d: string): string {
  return `${d}.status in ('PENDING', 'FAILED')`;
}

/** Delivery `d` waits outside of lanes. Repeats the words of the hot index's predicate, or the index is not used. */
export function isQueued(d: string): RawBuilder<unknown> {
  return sql.raw(`${openText(d)} and not ${d}.is_parked and ${d}.lane_id is null and not ${d}.is_suspect`);
}

/** Delivery `d` waits outside of lanes for a group of suspects. In the words of the index of suspects. */
export function isSuspectDelivery(d: string): RawBuilder<unknown> {
  return sql.raw(`${d}.is_suspect and ${openText(d)} and not ${d}.is_parked and ${d}.lane_id is null`);
}

/** Lane `l` has deliveries to send, now or later. In the words of the hot index of lanes. */
export function isOpenLane(l: string): RawBuilder<unknown> {
  return sql.raw(
    `${l}.ready_at is not null and ${l}.blocked_by is null and not ${l}.is_parked and not ${l}.is_suspect`,
  );
}

/** Lane `l` has deliveries to send, and its head waits for a group of suspects. */
export function isSuspectLane(l: string): RawBuilder<unknown> {
  return sql.raw(`${l}.is_suspect and ${l}.ready_at is not null and ${l}.blocked_by is null and not ${l}.is_parked`);
}

/**
 * A recursive CTE of each tenant and endpoint with a queued delivery, by status. It walks from one to the next through
 * the hot index, one descent for each, however long the backlog in between.
 */
export function deliveryQueues(name: string): RawBuilder<unknown> {
  return sql`
    ${sql.raw(name)} as (
      (
        select d.status, d.tenant_id, d.endpoint_id from kernel_webhook_delivery d
        where ${isQueued('d')}
        order by d.status, d.tenant_id, d.endpoint_id limit 1
      )
      union all
      select next.status, next.tenant_id, next.endpoint_id
      from ${sql.raw(name)} q
      cross join lateral (
        select d.status, d.tenant_id, d.endpoint_id from kernel_webhook_delivery d
        where ${isQueued('d')} and (d.status, d.tenant_id, d.endpoint_id) > (q.status, q.tenant_id, q.endpoint_id)
        order by d.status, d.tenant_id, d.endpoint_id limit 1
      ) next
    )
  `;
}

/** The same of each tenant and endpoint with an open lane. */
export function laneQueues(name: string): RawBuilder<unknown> {
  return sql`
    ${sql.raw(name)} as (
      (
        select l.tenant_id, l.endpoint_id from kernel_lane l
        where ${isOpenLane('l')}
        order by l.tenant_id, l.endpoint_id limit 1
      )
      union all
      select next.tenant_id, next.endpoint_id
      from ${sql.raw(name)} q
      cross join lateral (
        select l.tenant_id, l.endpoint_id from kernel_lane l
        where ${isOpenLane('l')} and (l.tenant_id, l.endpoint_id) > (q.tenant_id, q.endpoint_id)
        order by l.tenant_id, l.endpoint_id limit 1
      ) next
    )
  `;
}
