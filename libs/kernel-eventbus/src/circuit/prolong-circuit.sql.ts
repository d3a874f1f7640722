import { sql, type Kysely } from 'kysely';

/** After a probe that failed: each time twice as long until the next, up to a maximum. */
export async function prolongCircuit(
  db: Kysely<unknown>,
  endpointId: string,
  { probeMs, maxProbeMs }: { probeMs: number; maxProbeMs: number },
): Promise<void> {
  await sql`
    update kernel_endpoint_circuit
    set probes = probes + 1,
      probe_at = clock_timestamp() + least(${probeMs} * 2 ^ least(probes + 1, 20), ${maxProbeMs}) * interval '1 millisecond'
    where endpoint_id = ${endpointId}
  `.execute(db);
}
