import { sql, type Kysely } from 'kysely';

/** False when it was closed already. */
export async function closeCircuit(db: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from kernel_endpoint_circuit where endpoint_id = ${endpointId}
  `.execute(db);
  return numAffectedRows === 1n;
}
