import { sql, type Kysely } from 'kysely';
import type { ClaimedOperation, Cursor, OperationKind, ReplayFilter } from './operation.js';

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
/** As many may be held by other workers before this one has to look again. */
const LOOKED_AT = 100;

/**
 * The next operation that has waited for its pause, held by a lock that is not its row's until the batch is committed. A process
 * that dies lets go of it at once, and who wants to cancel it need not wait for the batch.
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

/** By a statement of its own: who held it before may have moved or ended it after the look above. */
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
