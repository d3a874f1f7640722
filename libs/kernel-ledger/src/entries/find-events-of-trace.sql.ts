import { raw } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';

/**
 * Ids of the routed events of a trace. Reads only the kinds in the trace index: `attempt` and `delivered` are excluded
 * from it, because every event would pay for index entries that are rarely read.
 */
export function eventsOfTrace(traceId: string): RawBuilder<unknown> {
  return sql`
    select event_id from kernel_ledger_entry
    where trace_id = ${traceId} and kind <> 'attempt' and kind <> 'delivered' and event_id is not null
  `;
}

/** `eventsOfTrace` as a MikroORM condition on `event_id`. */
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
