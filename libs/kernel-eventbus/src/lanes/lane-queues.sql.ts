import { sql, type RawBuilder } from 'kysely';

/** Lane `l` has something to send, now or at its time: what the hot index of lanes holds, in its words. */
export function isOpenLane(l: string): RawBuilder<unknown> {
  return sql.raw(
    `${l}.ready_at is not null and ${l}.blocked_by is null and not ${l}.is_parked and not ${l}.is_suspect`,
  );
}

/** Lane `l` has something to send, and its head is tried in a group of suspects. */
export function isSuspectLane(l: string): RawBuilder<unknown> {
  return sql.raw(`${l}.is_suspect and ${l}.ready_at is not null and ${l}.blocked_by is null and not ${l}.is_parked`);
}

/** A recursive part that names each tenant and endpoint with such a lane, as `deliveryQueues` does for deliveries. */
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
