import { sql, type Kysely, type RawBuilder } from 'kysely';
import { idBeyond, lowestIdSince } from '../envelope/ids-at.js';
import { hasEvent, type EventRetention } from '../deliveries/dead-letters.sql.js';
import type { OperationScope } from './operations/operation.js';

/** A replay must not miss deliveries of a process whose clock is wrong by less than a day. */
const MAX_SKEW_MS = 86_400_000;

/** Number of replayable deliveries, counted up to `limit`. */
export async function countReplayable(
  db: Kysely<unknown>,
  scope: OperationScope,
  retention: EventRetention,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from kernel_webhook_delivery d where ${isInScope(scope, retention)} limit ${limit}) counted
  `.execute(db);
  return rows[0]!.count;
}

export interface PickedDelivery {
  deliveryId: string;
  endpointId: string;
}

/**
 * The next deliveries in order of creation, locked. Locked rows are being replayed or removed by another transaction
 * and are skipped, so this never waits while it holds locks.
 */
export async function pickReplayable(
  trx: Kysely<unknown>,
  scope: OperationScope,
  retention: EventRetention,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<PickedDelivery[]> {
  const { rows } = await sql<PickedDelivery>`
    select d.delivery_id as "deliveryId", d.endpoint_id as "endpointId"
    from kernel_webhook_delivery d
    where d.delivery_id > ${afterId}::uuid and ${isInScope(scope, retention)}
    order by d.delivery_id
    limit ${limit}
    for update of d skip locked
  `.execute(trx);
  return rows;
}

/**
 * True if delivery `d` belongs to the operation. Deliveries finished after the request do not, so none is replayed
 * twice by one operation or by two overlapping ones. Ids start with their time, so the primary key narrows time ranges.
 */
function isInScope(
  { kind, tenantId, endpointId, filter, orderedAt }: OperationScope,
  retention: EventRetention,
): RawBuilder<boolean> {
  const { status, type, errorClass, since, until } = filter;
  const conditions = [
    kind === 'recover' || status === 'DLQ'
      ? sql`d.status = 'DLQ'`
      : status === 'DELIVERED'
        ? sql`d.status = 'DELIVERED'`
        : sql`d.status in ('DELIVERED', 'DLQ')`,
    sql`d.settled_at <= ${orderedAt}::timestamptz`,
    tenantId && sql`d.tenant_id = ${tenantId}::uuid`,
    endpointId && sql`d.endpoint_id = ${endpointId}::uuid`,
    type !== undefined && sql`d.event_type = ${type}`,
    errorClass !== undefined && sql`coalesce(d.error_class, d.dead_letter_reason) = ${errorClass}`,
    since &&
      (kind === 'recover' ? sql`d.settled_at >= ${since}::timestamptz` : sql`d.created_at >= ${since}::timestamptz`),
    until && sql`d.created_at < ${until}::timestamptz`,
    kind !== 'recover' && since && sql`d.delivery_id >= ${lowestIdSince(since, MAX_SKEW_MS)}::uuid`,
    until && sql`d.delivery_id < ${idBeyond(until, MAX_SKEW_MS)}::uuid`,
    sql`exists (select from kernel_webhook_endpoint p where p.endpoint_id = d.endpoint_id and p.deleted_at is null)`,
    hasEvent(retention),
  ].filter((condition) => typeof condition === 'object');
  return sql.join<boolean>(conditions, sql` and `);
}
