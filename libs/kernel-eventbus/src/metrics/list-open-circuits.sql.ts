import { sql, type Kysely } from 'kysely';

export interface OpenCircuit {
  tenantId: string;
  endpointId: string;
}

/** Those that have been open for longest. */
export async function listOpenCircuits(db: Kysely<unknown>, limit: number): Promise<OpenCircuit[]> {
  const { rows } = await sql<OpenCircuit>`
    select tenant_id as "tenantId", endpoint_id as "endpointId"
    from kernel_endpoint_circuit order by opened_at limit ${limit}
  `.execute(db);
  return rows;
}
