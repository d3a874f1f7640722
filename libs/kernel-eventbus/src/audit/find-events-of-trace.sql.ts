import { raw } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';

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

/** The same as a condition of MikroORM on what has an event id. */
export function isOfTrace(traceId: string): Record<string, []> {
  return {
    [raw(
      `event_id in (
        select event_id from kernel_ledger_entry
        where trace_id = ? and kind <> 'attempt' and kind <> 'delivered' and event_id is not null
      )`,
      [traceId],
    )]: [],
  };
}
