import { sql, type Kysely } from 'kysely';

export interface FoundCircuit {
  endpointId: string;
  probeAt: Date;
  /** The next delivery finds out whether the endpoint lives. */
  isProbeDue: boolean;
}

/** The open ones among those of these endpoints. */
export async function findCircuits(db: Kysely<unknown>, endpointIds: readonly string[]): Promise<FoundCircuit[]> {
  const { rows } = await sql<FoundCircuit>`
    select endpoint_id as "endpointId", probe_at as "probeAt", probe_at <= now() as "isProbeDue"
    from kernel_endpoint_circuit where endpoint_id = any(${endpointIds}::uuid[])
  `.execute(db);
  return rows;
}
