import { sql, type RawBuilder } from 'kysely';

/** Delivery `d` waits outside of lanes: what the hot index holds. Its words have to be the index's, or it is not used. */
export function isQueued(d: string): RawBuilder<unknown> {
  return sql.raw(
    `${d}.status in ('PENDING', 'FAILED') and not ${d}.is_parked and ${d}.lane_id is null and not ${d}.is_suspect`,
  );
}

/** Delivery `d` waits outside of lanes and is tried in a group of suspects: what the index of suspects holds, in its words. */
export function isSuspectDelivery(d: string): RawBuilder<unknown> {
  return sql.raw(
    `${d}.is_suspect and ${d}.status in ('PENDING', 'FAILED') and not ${d}.is_parked and ${d}.lane_id is null`,
  );
}

/**
 * A recursive part that names each tenant and endpoint with something queued, by status: it walks from one to the next through the
 * hot index, one descent for each, however long the backlog in between.
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
