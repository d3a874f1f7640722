import { sql, type Kysely } from 'kysely';
import type { EndpointChange } from '../runtime/wake-up.js';

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
