import { sql, type RawBuilder } from 'kysely';

export interface RetentionDays {
  publishedDays: number;
  deliveryDays: number;
  deadLetterDays: number;
}

/**
 * Whether delivery `d` was settled long ago and is needed by nothing. It lives at least as long as its event, which is gone with
 * its partition; only the default partition is never dropped, so there the event's age decides. The dead letter that blocks
 * a lane stays until somebody decides about it. `isLeaving` names events `e` that are about to go.
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
