import { sql, type Kysely } from 'kysely';
import { textArray } from '@kernel/runtime';
import { ALL_TENANTS } from '../../envelope/tenant-id.js';
import { HANDLER_DISPATCHER } from '../../endpoints/handler-names.js';
import type { RegisteredHandler } from './handler-registry.js';

/** Stores a handler as an endpoint. Keeps `is_enabled`, which operators set; the application sets all other columns. */
export async function putHandlerEndpoint(db: Kysely<unknown>, handler: RegisteredHandler): Promise<void> {
  const url = `handler:${handler.name}`;
  await sql`
    insert into kernel_webhook_endpoint as p (
      endpoint_id, tenant_id, name, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering,
      on_dead_letter, dispatcher
    ) values (
      ${handler.endpointId}, ${ALL_TENANTS}, ${handler.name}, ${url}, ${url},
      ${textArray(handler.types)}::text[], 'none', false, ${handler.ordering ?? 'none'},
      ${handler.onDeadLetter ?? 'block'}, ${HANDLER_DISPATCHER}
    )
    on conflict (endpoint_id) do update
    set tenant_id = excluded.tenant_id, name = excluded.name, url = excluded.url, operator_url = excluded.operator_url,
      subscribed_types = excluded.subscribed_types, subscriptions = excluded.subscriptions,
      signing_secret_alias = excluded.signing_secret_alias, is_external = excluded.is_external,
      ordering = excluded.ordering, on_dead_letter = excluded.on_dead_letter, dispatcher = excluded.dispatcher,
      headers = excluded.headers, deleted_at = null, updated_at = clock_timestamp()
    where (
      p.tenant_id, p.name, p.url, p.operator_url, p.subscribed_types, p.subscriptions, p.signing_secret_alias, p.is_external,
      p.ordering, p.on_dead_letter, p.dispatcher, p.headers, p.deleted_at
    ) is distinct from (
      excluded.tenant_id, excluded.name, excluded.url, excluded.operator_url, excluded.subscribed_types, excluded.subscriptions,
      excluded.signing_secret_alias, excluded.is_external, excluded.ordering, excluded.on_dead_letter,
      excluded.dispatcher, excluded.headers, null::timestamptz
    )
  `.execute(db);
}

/** False when this handler has processed the event already. Two at a time wait for each other here. */
export async function markProcessed(trx: Kysely<unknown>, handler: string, eventId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into kernel_processed_event (handler, event_id) values (${handler}, ${eventId})
    on conflict do nothing
    returning event_id
  `.execute(trx);
  return rows.length === 1;
}

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
