import { sql, type Kysely } from 'kysely';
import type { InboxEvent } from '../verification/inbox-event.js';
import type { KnownStream } from './stream-order.js';

export interface Marking extends KnownStream {
  /** `refused`: its predecessor is missing and gaps are refused. */
  outcome: 'marked' | 'known' | 'refused';
}

/**
 * Marks the event as processed, unless it is marked already, and returns the known state of its stream. Concurrent
 * calls for one event wait here until the first transaction ends.
 */
export async function markEvent(
  trx: Kysely<unknown>,
  { inbox, refusesGaps }: { inbox: string; refusesGaps: boolean },
  { eventId, tenantId, streamKey, sequence, previousSequence }: InboxEvent,
): Promise<Marking> {
  const { rows } = await sql<Omit<Marking, 'last'> & { last: string | null }>`
    with stream as (
      select
        (
          select p.sequence from processed_event p
          where p.inbox = ${inbox} and p.tenant_id = ${tenantId}::uuid and p.stream_key = ${streamKey}
            and p.sequence is not null
          order by p.sequence desc
          limit 1
        ) as last,
        exists (
          select from processed_event p
          where p.inbox = ${inbox} and p.tenant_id = ${tenantId}::uuid and p.stream_key = ${streamKey}
            and p.sequence = ${previousSequence}::bigint
        ) as is_previous_processed,
        exists (select from processed_event p where p.inbox = ${inbox} and p.event_id = ${eventId}::uuid) as is_known
    ), judged as (
      select *, ${previousSequence}::bigint is not null and last is not null and not is_previous_processed as is_gap,
        coalesce(${sequence}::bigint > last, false) as is_next
      from stream
    ), marked as (
      insert into processed_event (inbox, event_id, tenant_id, stream_key, sequence, previous_sequence, is_gap)
      select ${inbox}, ${eventId}::uuid, ${tenantId}::uuid, ${streamKey}, ${sequence}::bigint,
        ${previousSequence}::bigint, is_gap
      from judged
      where not (${refusesGaps}::boolean and is_gap and is_next)
      on conflict (inbox, event_id) do nothing
      returning event_id
    )
    select last, is_previous_processed as "isPreviousProcessed",
      case
        when exists (select from marked) then 'marked'
        when ${refusesGaps}::boolean and is_gap and is_next and not is_known then 'refused'
        else 'known'
      end as outcome
    from judged
  `.execute(trx);
  const { last, ...marking } = rows[0]!;
  return { ...marking, last: last === null ? null : Number(last) };
}
