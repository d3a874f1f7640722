import { sql, type Kysely } from 'kysely';
import type { InboxEvent } from '../verification/inbox-event.js';
import type { KnownStream } from './stream-order.js';
import type { Gap } from '../inbox.errors.js';

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

/** The gaps that are still open, oldest first. */
export async function findGaps(db: Kysely<unknown>, inbox: string, limit: number): Promise<Gap[]> {
  const { rows } = await sql<{ tenantId: string; streamKey: string; after: string; upTo: string }>`
    select g.tenant_id as "tenantId", g.stream_key as "streamKey", before.sequence as "after",
      g.previous_sequence as "upTo"
    from processed_event g
    cross join lateral (
      select p.sequence from processed_event p
      where p.inbox = g.inbox and p.tenant_id = g.tenant_id and p.stream_key = g.stream_key
        and p.sequence <= g.previous_sequence
      order by p.sequence desc
      limit 1
    ) before
    where g.inbox = ${inbox} and g.is_gap and before.sequence < g.previous_sequence
    order by g.processed_at
    limit ${limit}
  `.execute(db);
  return rows.map((row) => ({ ...row, after: Number(row.after), upTo: Number(row.upTo) }));
}

/** Clears the sequence numbers; the marks stay, so duplicates are still detected. */
export async function forgetStream(
  db: Kysely<unknown>,
  inbox: string,
  { tenantId, streamKey }: { tenantId: string; streamKey: string },
): Promise<void> {
  await sql`
    update processed_event set sequence = null, previous_sequence = null, is_gap = false
    where inbox = ${inbox} and tenant_id = ${tenantId}::uuid and stream_key = ${streamKey} and sequence is not null
  `.execute(db);
}

/** Deletes one batch of marks past the retention and returns their number. Concurrent processes share the work. */
export async function pruneMarks(
  db: Kysely<unknown>,
  { inbox, retentionDays, limit }: { inbox: string; retentionDays: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from processed_event
    where ctid = any(array(
      select ctid from processed_event
      where inbox = ${inbox} and processed_at < now() - ${retentionDays}::int * interval '1 day'
      order by processed_at
      limit ${limit}
      for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
