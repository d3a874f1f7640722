import { sql, type RawBuilder } from 'kysely';
import type { OperationScope } from '../operations/operation.js';

export interface EventRetention {
  publishedDays: number;
}

/**
 * Whether delivery `d`, which is settled, has something left to send. What was delivered can be sent again while its event is
 * within its retention: after that its envelope may be dropped at any moment, and is retained for dead letters only.
 */
export function hasEvent({ publishedDays }: EventRetention): RawBuilder<boolean> {
  return sql`(
    exists (select from kernel_retained_event r where r.event_id = d.event_id)
    or exists (
      select from kernel_outbox_event e
      where e.event_id = d.event_id and (
        d.status = 'DLQ' or e.created_at > clock_timestamp() - ${publishedDays}::int * interval '1 day'
      )
    )
  )`;
}

/**
 * Whether delivery `d` is one that the operation is about. Those that were settled since it was ordered are not: so none is
 * replayed twice, neither by the same operation nor by two that overlap.
 */
export function isInScope(
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
    sql`exists (select from kernel_webhook_endpoint p where p.endpoint_id = d.endpoint_id and p.deleted_at is null)`,
    hasEvent(retention),
  ].filter((condition) => typeof condition === 'object');
  return sql.join<boolean>(conditions, sql` and `);
}
