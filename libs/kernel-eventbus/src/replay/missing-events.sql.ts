import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Cursor } from './operations/operation.js';
import { textArray } from '@kernel/runtime';

export interface MissingEvents {
  endpointId: string;
  /** Undefined for a handler, which receives the events of all tenants. */
  tenantId?: string;
  types: readonly string[];
  /** Types whose payloads the subscriptions' predicates read. */
  typesToRead: readonly string[];
  since: string;
  orderedAt: string;
  publishedDays: number;
}

export interface MissingEvent {
  eventId: string;
  tenantId: string;
  type: string;
  traceId: string;
  streamKey: string;
  streamSequence: string | null;
  /** With microseconds, as required by the cursor. */
  createdAt: string;
  payloadJson: string;
}

/** Published events of these types without a delivery to the endpoint, oldest first, after the cursor. */
export async function findMissingEvents(
  db: Kysely<unknown>,
  missing: MissingEvents,
  { after, limit }: { after: Cursor | null; limit: number },
): Promise<MissingEvent[]> {
  const isBehind = after
    ? sql`(e.created_at, e.event_id) > (${after.at}::timestamptz, ${after.id}::uuid)`
    : sql<boolean>`true`;
  const { rows } = await sql<MissingEvent>`
    select e.event_id as "eventId", e.tenant_id as "tenantId", e.type, e.trace_id as "traceId",
      e.stream_key as "streamKey", e.stream_sequence::text as "streamSequence", e.created_at::text as "createdAt",
      case when e.type = any(${textArray(missing.typesToRead)}::text[]) then e.payload_jsonb::text else '{}' end
        as "payloadJson"
    from kernel_outbox_event e
    where ${isMissing(missing)} and ${isBehind}
    order by e.created_at, e.event_id
    limit ${limit}
  `.execute(db);
  return rows;
}

export async function countMissingEvents(db: Kysely<unknown>, missing: MissingEvents, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from kernel_outbox_event e where ${isMissing(missing)} limit ${limit}) counted
  `.execute(db);
  return rows[0]!.count;
}

/** Events that a middleware short-circuited are not missing. */
function isMissing(missing: MissingEvents): RawBuilder<boolean> {
  return sql<boolean>`
    e.status = 'PUBLISHED' and e.created_at >= ${missing.since}::timestamptz
    and e.created_at <= ${missing.orderedAt}::timestamptz
    and e.created_at > clock_timestamp() - ${missing.publishedDays}::int * interval '1 day'
    and e.type = any(${textArray(missing.types)}::text[])
    ${missing.tenantId === undefined ? sql`` : sql`and e.tenant_id = ${missing.tenantId}::uuid`}
    and not exists (
      select from kernel_webhook_delivery d
      where d.endpoint_id = ${missing.endpointId}::uuid and d.event_id = e.event_id
    )
    and not exists (
      select from kernel_ledger_entry l where l.event_id = e.event_id and l.kind = 'short-circuited'
    )
  `;
}
