import { sql, type Kysely } from 'kysely';
import { isAwaited } from '@kernel/eventbus/engine';

export interface OpenCircuit {
  tenantId: string;
  endpointId: string;
}

/** Longest open first. */
export async function listOpenCircuits(db: Kysely<unknown>, limit: number): Promise<OpenCircuit[]> {
  const { rows } = await sql<OpenCircuit>`
    select tenant_id as "tenantId", endpoint_id as "endpointId"
    from kernel_endpoint_circuit k where ${isAwaited('k')} order by opened_at limit ${limit}
  `.execute(db);
  return rows;
}
