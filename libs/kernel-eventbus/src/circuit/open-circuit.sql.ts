import { sql, type Kysely } from 'kysely';

/** False when it was open already. */
export async function openCircuit(
  db: Kysely<unknown>,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
  probeMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at)
    values (${endpointId}, ${tenantId}, clock_timestamp() + ${probeMs} * interval '1 millisecond')
    on conflict (endpoint_id) do nothing
  `.execute(db);
  return numAffectedRows === 1n;
}
