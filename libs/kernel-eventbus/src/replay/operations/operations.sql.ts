import { sql, type Kysely } from 'kysely';
import type {
  ClaimedOperation,
  Cursor,
  OperationKind,
  OperationRequest,
  OperationScope,
  OperationState,
  ReplayFilter,
} from './operation.js';

const ORDER_TURN = 310_123;

/**
 * Serializes requests of one tenant, or of operators without a tenant, until the transaction ends, so that each sees
 * the earlier ones when it checks `maxOpen`. Must be a statement before the insert, which then takes a newer snapshot.
 */
export async function takeRequestTurn(trx: Kysely<unknown>, tenantId: string | undefined): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ORDER_TURN}, hashtext(${tenantId ?? 'all tenants'}))`.execute(trx);
}

export interface NewOperation extends OperationRequest, OperationScope {
  operationId: string;
  total: number;
}

/** False if the tenant already has `maxOpen` open operations. */
export async function insertOperation(
  trx: Kysely<unknown>,
  operation: NewOperation,
  { maxOpen }: { maxOpen: number },
): Promise<boolean> {
  const { operationId, kind, tenantId = null, endpointId = null, filter, reason, actor, traceId, total } = operation;
  const { rows } = await sql`
    insert into kernel_operation (
      operation_id, kind, tenant_id, endpoint_id, filter, reason, actor, trace_id, total, created_at
    )
    select ${operationId}::uuid, ${kind}::text, ${tenantId}::uuid, ${endpointId}::uuid, ${JSON.stringify(filter)}::jsonb, ${reason}::text,
      ${actor}::text, ${traceId}::text, ${total}::int, ${operation.orderedAt}::timestamptz
    where (
      select count(*) from kernel_operation
      where state in ('pending', 'running') and tenant_id is not distinct from ${tenantId}::uuid
    ) < ${maxOpen}
    returning operation_id
  `.execute(trx);
  return rows.length === 1;
}

interface Row {
  operationId: string;
  kind: OperationKind;
  tenantId: string | null;
  endpointId: string | null;
  filter: ReplayFilter;
  actor: string;
  reason: string;
  traceId: string;
  orderedAt: string;
  cursor: Cursor | null;
}

const BATCH_LOCK = 310_124;
/** Due operations considered per claim; other workers may hold some of them. */
const LOOKED_AT = 100;

/**
 * The next due operation, claimed by an advisory lock until the batch commits. A crash releases the lock at once, and
 * since the row itself is not locked, a cancellation does not wait for the batch.
 */
export async function claimOperation(trx: Kysely<unknown>): Promise<ClaimedOperation | undefined> {
  const operationId = await holdNext(trx);
  return operationId === undefined ? undefined : readDue(trx, operationId);
}

async function holdNext(trx: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ operationId: string }>`
    with due as materialized (
      select operation_id from kernel_operation
      where state in ('pending', 'running') and next_batch_at <= now()
      order by next_batch_at limit ${LOOKED_AT}
    )
    select operation_id as "operationId" from due
    where pg_try_advisory_xact_lock(${BATCH_LOCK}, hashtext(operation_id::text))
    limit 1
  `.execute(trx);
  return rows[0]?.operationId;
}

/**
 * A separate statement: the previous holder may have advanced or ended the operation after `holdNext` took its
 * snapshot.
 */
async function readDue(trx: Kysely<unknown>, operationId: string): Promise<ClaimedOperation | undefined> {
  const { rows } = await sql<Row>`
    select operation_id as "operationId", kind, tenant_id as "tenantId", endpoint_id as "endpointId", filter, actor, reason,
      trace_id as "traceId", created_at::text as "orderedAt",
      case when cursor_id is not null then json_build_object('at', cursor_at::text, 'id', cursor_id) end as cursor
    from kernel_operation
    where operation_id = ${operationId} and state in ('pending', 'running') and next_batch_at <= now()
  `.execute(trx);
  const [row] = rows;
  return row && { ...row, tenantId: row.tenantId ?? undefined, endpointId: row.endpointId ?? undefined };
}

/**
 * Records a batch and the start of the next one after a pause. Runs in the batch's transaction. False if the operation
 * has ended: the batch must then roll back.
 */
export async function moveOperation(
  trx: Kysely<unknown>,
  operationId: string,
  { done, next }: { done: number; next: Cursor },
  pauseMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    update kernel_operation
    set state = 'running', done = done + ${done}::int, total = greatest(total, done + ${done}::int), faults = 0,
      cursor_at = ${next.at}::timestamptz, cursor_id = ${next.id}::uuid,
      started_at = coalesce(started_at, clock_timestamp()),
      next_batch_at = clock_timestamp() + ${pauseMs}::int * interval '1 millisecond'
    where operation_id = ${operationId} and state in ('pending', 'running')
    returning operation_id
  `.execute(trx);
  return rows.length === 1;
}

/** Records a failed, rolled back batch. Returns the number of consecutive failures. */
export async function setBackOperation(
  db: Kysely<unknown>,
  operationId: string,
  error: string,
  pauseMs: number,
): Promise<number> {
  const { rows } = await sql<{ faults: number }>`
    update kernel_operation
    set faults = faults + 1, last_error = ${error},
      next_batch_at = clock_timestamp() + ${pauseMs}::int * interval '1 millisecond'
    where operation_id = ${operationId} and state in ('pending', 'running')
    returning faults
  `.execute(db);
  return rows[0]?.faults ?? 0;
}

export interface EndedOperation {
  state: OperationState;
  total: number;
  done: number;
  failed: number;
}

export interface Ending {
  state: 'completed' | 'cancelled' | 'failed';
  /** Deliveries done by the last batch. */
  done?: number;
  error?: string;
}

/**
 * Undefined if it had ended already. Counted deliveries that were not done have changed since the count and become
 * `failed`.
 */
export async function endOperation(
  trx: Kysely<unknown>,
  operationId: string,
  { state, done = 0, error }: Ending,
): Promise<EndedOperation | undefined> {
  const { rows } = await sql<EndedOperation>`
    update kernel_operation
    set state = ${state}::text, done = done + ${done}::int, total = greatest(total, done + ${done}::int),
      failed = case when ${state}::text = 'cancelled' then 0 else greatest(total - done - ${done}::int, 0) end,
      last_error = coalesce(${error ?? null}::text, last_error),
      started_at = coalesce(started_at, clock_timestamp()), finished_at = clock_timestamp()
    where operation_id = ${operationId} and state in ('pending', 'running')
    returning state, total, done, failed
  `.execute(trx);
  return rows[0];
}

export interface Moment {
  /** Database time with microseconds. */
  now: string;
  /** True if `since` is before the retention period. */
  isPast: boolean;
}

export async function readMoment(
  db: Kysely<unknown>,
  since: string | undefined,
  publishedDays: number,
): Promise<Moment> {
  const { rows } = await sql<Moment>`
    select clock_timestamp()::text as now,
      coalesce(${since ?? null}::timestamptz < clock_timestamp() - ${publishedDays}::int * interval '1 day', false) as "isPast"
  `.execute(db);
  return rows[0]!;
}
