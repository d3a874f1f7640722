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

/**
 * The next operation that has waited for its pause, held by the lock on its row until the batch is committed. A process that
 * dies lets go of it at once; whoever wants to cancel it waits for the batch and no longer.
 */
export async function claimOperation(trx: Kysely<unknown>): Promise<ClaimedOperation | undefined> {
  const { rows } = await sql<Row>`
    select operation_id as "operationId", kind, tenant_id as "tenantId", endpoint_id as "endpointId", filter, actor, reason,
      trace_id as "traceId", created_at::text as "orderedAt",
      case when cursor_id is not null then json_build_object('at', cursor_at::text, 'id', cursor_id) end as cursor
    from kernel_operation
    where state in ('pending', 'running') and next_batch_at <= now()
    order by next_batch_at
    limit 1
    for update skip locked
  `.execute(trx);
  const [row] = rows;
  return row && { ...row, tenantId: row.tenantId ?? undefined, endpointId: row.endpointId ?? undefined };
}
