import { sql, type Kysely } from 'kysely';

export interface SkippedDeadLetter {
  deliveryId: string;
  eventId: string | null;
  eventType: string | null;
}

/** Lets a blocked lane go on behind its dead letter, which stays in the DLQ. Undefined when the lane is not blocked. */
export async function skipDeadLetter(trx: Kysely<unknown>, laneId: string): Promise<SkippedDeadLetter | undefined> {
  const { rows } = await sql<SkippedDeadLetter>`
    with blocked as (
      select lane_id, blocked_by from kernel_lane where lane_id = ${laneId} and blocked_by is not null for update
    ), unblocked as (
      update kernel_lane l
      set blocked_by = null, blocked_at = null, ready_at = clock_timestamp(), wake_count = l.wake_count + 1
      from blocked where l.lane_id = blocked.lane_id
    )
    select blocked.blocked_by as "deliveryId", d.event_id as "eventId", d.event_type as "eventType"
    from blocked left join kernel_webhook_delivery d on d.delivery_id = blocked.blocked_by
  `.execute(trx);
  return rows[0];
}
