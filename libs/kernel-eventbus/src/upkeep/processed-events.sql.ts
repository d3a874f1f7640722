import { sql, type Kysely } from 'kysely';
import { HANDLER_DISPATCHER } from '../endpoints/handler-names.js';

/** All handlers that ever existed: processed events are stored by handler name. */
export async function findHandlerNames(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from kernel_webhook_endpoint where dispatcher = ${HANDLER_DISPATCHER} order by name
  `.execute(db);
  return rows.map(({ name }) => name);
}

export interface PruneProcessedRequest {
  handler: string;
  /** Start of the batch, exclusive. */
  afterId: string;
  beforeId: string;
  limit: number;
  processedDays: number;
}

export interface PrunedProcessed {
  /** The last event of the batch; null if none was left. */
  lastId: string | null;
  pruned: number;
}

/**
 * Scans a batch of a handler's processed events, oldest first, and deletes those that cannot be redelivered: event,
 * retained envelope and delivery are gone.
 */
export async function pruneProcessedEvents(
  trx: Kysely<unknown>,
  { handler, afterId, beforeId, limit, processedDays }: PruneProcessedRequest,
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
