import { sql, type Kysely, type RawBuilder } from 'kysely';

export interface FoundCircuit {
  endpointId: string;
  probeAt: Date;
  /** The next delivery probes the endpoint. */
  isProbeDue: boolean;
}

/** The open circuits of these endpoints. */
export async function findCircuits(db: Kysely<unknown>, endpointIds: readonly string[]): Promise<FoundCircuit[]> {
  const { rows } = await sql<FoundCircuit>`
    select endpoint_id as "endpointId", probe_at as "probeAt", probe_at <= now() as "isProbeDue"
    from kernel_endpoint_circuit where endpoint_id = any(${endpointIds}::uuid[])
  `.execute(db);
  return rows;
}

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

/** After a failed probe: the time until the next one doubles, up to a maximum. */
export async function prolongCircuit(
  db: Kysely<unknown>,
  endpointId: string,
  { probeMs, maxProbeMs }: { probeMs: number; maxProbeMs: number },
): Promise<void> {
  await sql`
    update kernel_endpoint_circuit
    set probes = probes + 1,
      probe_at = clock_timestamp()
        + least(${probeMs} * 2 ^ least(probes + 1, 20), ${maxProbeMs}) * interval '1 millisecond'
    where endpoint_id = ${endpointId}
  `.execute(db);
}

/** False when it was closed already. */
export async function closeCircuit(db: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from kernel_endpoint_circuit where endpoint_id = ${endpointId}
  `.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Circuit `k` belongs to an active endpoint. The circuit of a disabled or deleted endpoint stays open, because nothing
 * probes it, and needs no operator.
 */
export function isAwaited(k: string): RawBuilder<unknown> {
  return sql.raw(`not exists (
    select from kernel_webhook_endpoint p
    where p.endpoint_id = ${k}.endpoint_id and (not p.is_enabled or p.deleted_at is not null)
  )`);
}
