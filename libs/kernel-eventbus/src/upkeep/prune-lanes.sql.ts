import { sql, type Kysely } from 'kysely';

/**
 * Removes lanes of endpoints that were deleted a day ago, when every router has noticed. Other lanes stay, because each knows
 * the number that it sent last; so do streams, because their numbers have no gaps.
 */
export async function pruneLanes(db: Kysely<unknown>, limit: number): Promise<number> {
  const { rows } = await sql`
    with needless as (
      select l.lane_id
      from kernel_webhook_endpoint p join kernel_lane l on l.endpoint_id = p.endpoint_id
      where p.deleted_at < clock_timestamp() - interval '1 day'
        and (l.lease_until is null or l.lease_until < clock_timestamp())
        and not exists (
          select from kernel_webhook_delivery d where d.lane_id = l.lane_id and d.status in ('PENDING', 'FAILED')
        )
      limit ${limit}
      for update of l skip locked
    )
    delete from kernel_lane l using needless where l.lane_id = needless.lane_id returning l.lane_id
  `.execute(db);
  return rows.length;
}
