import { sql, type Kysely } from 'kysely';
import { plainArray } from '@kernel/runtime';
import type { EndpointChange } from '../runtime/wake-up.js';

export interface EndpointVersion {
  endpointId: string;
  /** The transaction that wrote the row: it differs after each change, however late that was committed. */
  version: string;
  isEnabled: boolean;
  isDisabledByKernel: boolean;
  isDeleted: boolean;
}

export async function selectEndpointVersions(
  db: Kysely<unknown>,
  endpointIds: readonly string[],
): Promise<EndpointVersion[]> {
  const { rows } = await sql<EndpointVersion>`
    select endpoint_id as "endpointId", xmin::text as version, is_enabled as "isEnabled",
      is_disabled_by_kernel as "isDisabledByKernel", deleted_at is not null as "isDeleted"
    from kernel_webhook_endpoint where endpoint_id = any(${plainArray(endpointIds)}::uuid[])
  `.execute(db);
  return rows;
}

/** By the kernel itself, which aborts nothing in flight. False when it was disabled already. */
export async function disableEndpoint(trx: Kysely<unknown>, endpointId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update kernel_webhook_endpoint set is_enabled = false, is_disabled_by_kernel = true, updated_at = clock_timestamp()
    where endpoint_id = ${endpointId} and is_enabled
  `.execute(trx);
  return numAffectedRows === 1n;
}

/** The dispatchers that live endpoints ask for by name, each with one of these endpoints. */
export async function findDispatchersInUse(db: Kysely<unknown>): Promise<{ dispatcher: string; endpointId: string }[]> {
  const { rows } = await sql<{ dispatcher: string; endpointId: string }>`
    select distinct on (dispatcher) dispatcher, endpoint_id as "endpointId"
    from kernel_webhook_endpoint
    where dispatcher is not null and deleted_at is null
    order by dispatcher, endpoint_id
  `.execute(db);
  return rows;
}

export const ENDPOINT_CHANGES_CHANNEL = 'kernel_endpoint';

/** Notifies all workers at the commit: the deliveries they hold contain the endpoint's old settings. */
export async function announceEndpointChange(
  trx: Kysely<unknown>,
  { endpointId, state }: EndpointChange,
): Promise<void> {
  const payload = state ? `${endpointId} ${state}` : endpointId;
  await sql`select pg_notify(${ENDPOINT_CHANGES_CHANNEL}, ${payload})`.execute(trx);
}

export function readEndpointChange(payload: string): EndpointChange {
  const [endpointId = '', state] = payload.split(' ');
  return { endpointId, ...(state && { state: state as EndpointChange['state'] }) };
}
