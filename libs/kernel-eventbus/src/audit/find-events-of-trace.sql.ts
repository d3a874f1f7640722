import { sql, type Kysely, type RawBuilder } from 'kysely';

/**
 * The events of a trace that were routed: each has an entry of the kinds that are indexed by trace. What is written for every
 * delivery is not indexed so, because an index entry for each would be paid for by every event and needed for hardly any.
 */
export function eventsOfTrace(traceId: string): RawBuilder<unknown> {
  return sql`
    select event_id from kernel_ledger_entry
    where trace_id = ${traceId} and kind <> 'attempt' and kind <> 'delivered' and event_id is not null
  `;
}

export async function findEventsOfTrace(db: Kysely<unknown>, traceId: string): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`select distinct event_id from (${eventsOfTrace(traceId)}) e`.execute(
    db,
  );
  return rows.map((row) => row.event_id);
}
