import { plainArray, textArray, type Statement, prepared } from '@kernel/runtime';
import type { PendingEvent } from './pending-events.sql.js';

export interface Unrouted {
  tenantId: string;
  streamKey: string;
  /** The lowest number of the stream that is pending and not among the claimed events. */
  sequence: string;
}

/**
 * Finds pending events of the ordered events' streams outside the claimed batch, including those that another router
 * holds and has not committed. A number becomes visible only after all lower ones, so a lower number that is not found
 * is already routed.
 */
export function findUnrouted(claimed: readonly PendingEvent[], ordered: readonly PendingEvent[]): Statement {
  const streams = new Map(ordered.map((event) => [`${event.tenantId} ${event.streamKey}`, event]));
  return FIND_UNROUTED.bind({
    tenantIds: plainArray([...streams.values()].map((event) => event.tenantId)),
    streamKeys: textArray([...streams.values()].map((event) => event.streamKey)),
    claimedIds: plainArray(claimed.map((event) => event.eventId)),
  });
}

const FIND_UNROUTED = prepared<'tenantIds' | 'streamKeys' | 'claimedIds', Unrouted>`
  select s.tenant_id as "tenantId", s.stream_key as "streamKey", u.sequence
  from unnest(
    ${'tenantIds'}::uuid[],
    ${'streamKeys'}::text[]
  ) as s (tenant_id, stream_key)
  cross join lateral (
    select e.stream_sequence as sequence
    from kernel_outbox_event e
    where e.status = 'PENDING' and e.tenant_id = s.tenant_id and e.stream_key = s.stream_key
      and e.stream_sequence is not null and e.event_id <> all(${'claimedIds'}::uuid[])
    order by e.stream_sequence
    limit 1
  ) u
`;
