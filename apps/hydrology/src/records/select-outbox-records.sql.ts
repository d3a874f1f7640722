import { sql, type Kysely } from 'kysely';

/** KFM-1: the record of the outbox specification, field by field. */
export interface OutboxRecord {
  outboxId: string;
  pipelineId: string;
  eventName: string;
  datasetId: string;
  version: string;
  idempotencyKey: string | null;
  payload: Record<string, unknown>;
  status: 'pending' | 'dispatched' | 'failed';
  attempt: number;
  lastError: string | null;
  createdAt: string;
  updatedAt: string;
}

/**
 * The event itself never changes: status, attempts, error and update time are those of its deliveries. An event is
 * dispatched when all its deliveries are delivered, or when it has none. Oldest first.
 */
export async function selectOutboxRecords(db: Kysely<unknown>, type: string, limit: number): Promise<OutboxRecord[]> {
  const { rows } = await sql<OutboxRecord>`
    select e.event_id as "outboxId", e.attributes ->> 'pipelineId' as "pipelineId", e.type as "eventName",
      e.attributes ->> 'datasetId' as "datasetId", e.attributes ->> 'version' as "version", k.key as "idempotencyKey",
      e.payload_jsonb as "payload",
      case
        when d.dead > 0 then 'failed'
        when e.status = 'PENDING' or d.open > 0 then 'pending'
        else 'dispatched'
      end as "status",
      d.attempts as "attempt", d.last_error as "lastError", e.created_at as "createdAt",
      greatest(e.created_at, e.published_at, d.updated_at) as "updatedAt"
    from kernel_outbox_event e
    left join kernel_idempotency_key k on k.event_id = e.event_id
    cross join lateral (
      select count(*) filter (where status = 'DLQ') as dead,
        count(*) filter (where status in ('PENDING', 'FAILED')) as open,
        coalesce(max(attempts), 0) as attempts,
        (array_agg(last_error order by last_error_at desc) filter (where last_error is not null))[1] as last_error,
        max(updated_at) as updated_at
      from kernel_webhook_delivery
      where event_id = e.event_id
    ) d
    where e.type = ${type}
    order by e.created_at, e.event_id
    limit ${limit}
  `.execute(db);
  return rows.map((row) => ({ ...row, createdAt: toIso(row.createdAt), updatedAt: toIso(row.updatedAt) }));
}

function toIso(time: string): string {
  return new Date(time).toISOString();
}
