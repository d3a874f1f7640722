import { sql, type Kysely } from 'kysely';

/** Gives back what a stopping worker still holds: no attempt is used up, another worker may take it at once. */
export async function releaseLeases(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    with locked_lane as materialized (
      select lane_id from kernel_lane where leased_by = ${workerId}
      order by endpoint_id, tenant_id, stream_key for no key update
    ), lane as (
      update kernel_lane l set lease_until = null, leased_by = null, lease_epoch = l.lease_epoch + 1
      from locked_lane where l.lane_id = locked_lane.lane_id and l.leased_by = ${workerId}
      returning l.lane_id
    ), locked_delivery as materialized (
      select delivery_id from kernel_webhook_delivery
      where leased_by = ${workerId} and lease_until is not null and status in ('PENDING', 'FAILED')
        and (select count(*) from lane) >= 0
      order by delivery_id for no key update
    )
    update kernel_webhook_delivery d
    set lease_until = null, leased_by = null, lease_epoch = d.lease_epoch + 1
    from locked_delivery where d.delivery_id = locked_delivery.delivery_id and d.leased_by = ${workerId}
  `.execute(db);
}
