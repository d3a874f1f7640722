import { sql, type Kysely } from 'kysely';
import type { OperationOrder, OperationScope } from './operation.js';

export interface NewOperation extends OperationOrder, OperationScope {
  operationId: string;
  total: number;
}

/** False when as many as may be are under way for the same tenant. */
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
