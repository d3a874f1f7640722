import { sql, type Kysely } from 'kysely';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';

export interface PruneProcessedOrder {
  handler: string;
  /** Walks on behind this event. */
  afterId: string;
  beforeId: string;
  limit: number;
  processedDays: number;
}

export interface PrunedProcessed {
  /** The last event looked at; null when there was none left. */
  lastId: string | null;
  pruned: number;
}

/**
 * Looks at a batch of what a handler has processed, oldest first, and forgets what cannot come to it again: neither the event
 * nor its envelope is there any more, nor a delivery that somebody could replay.
 */
export async function pruneProcessedEvents(
  trx: Kysely<unknown>,
  { handler, afterId, beforeId, limit, processedDays }: PruneProcessedOrder,
): Promise<PrunedProcessed> {
  const { rows } = await sql<PrunedProcessed>`
    with walked as (
      select event_id from kernel_processed_event
      where handler = ${handler} and event_id > ${afterId}::uuid and event_id < ${beforeId}::uuid
      order by event_id
      limit ${limit}
    ), deleted as (
      delete from kernel_processed_event m
      where m.handler = ${handler} and m.event_id in (select event_id from walked)
        and m.processed_at < clock_timestamp() - ${processedDays}::int * interval '1 day'
        and not exists (select from kernel_outbox_event e where e.event_id = m.event_id)
        and not exists (select from kernel_retained_event r where r.event_id = m.event_id)
        and not exists (
          select from kernel_webhook_endpoint p
          join kernel_webhook_delivery d on d.endpoint_id = p.endpoint_id and d.event_id = m.event_id
          where p.dispatcher = ${HANDLER_DISPATCHER} and p.name = m.handler
        )
      returning m.event_id
    )
    select (select event_id from walked order by event_id desc limit 1) as "lastId", count(*)::int as pruned from deleted
  `.execute(trx);
  return rows[0]!;
}
