import type { Kysely } from 'kysely';
import { emptyLanes } from '../../lanes/empty-lanes.sql.js';
import { freeLanes } from '../../lanes/free-lanes.sql.js';
import { parkLanes } from '../../lanes/park-lanes.sql.js';
import { resumeLanes } from '../../lanes/resume-lanes.sql.js';
import { deadLetterOpenDeliveries } from './dead-letter-open-deliveries.sql.js';
import type { EndpointSettings } from './endpoint-settings.js';
import { parkOpenDeliveries } from '../../delivery/park-open-deliveries.sql.js';
import { resumeParkedDeliveries } from './resume-parked-deliveries.sql.js';

// Lanes before deliveries, as routers and claims take them, so that nobody waits in a circle. Whoever calls holds the lock
// on the endpoint's row.

/** What a change of an endpoint means for what waits for it, in lanes and outside. */
export async function adaptQueue(
  trx: Kysely<unknown>,
  endpointId: string,
  { isEnabled, ordering }: Partial<EndpointSettings>,
): Promise<void> {
  if (isEnabled === true) {
    await resumeLanes(trx, endpointId);
    await resumeParkedDeliveries(trx, endpointId);
  }
  if (isEnabled === false) {
    await parkLanes(trx, endpointId);
    await parkOpenDeliveries(trx, endpointId);
  }
  if (ordering === 'none') {
    await freeLanes(trx, endpointId);
  }
}

/** Ends what is open for a deleted endpoint. Returns how many deliveries went to the DLQ. */
export async function endQueue(trx: Kysely<unknown>, endpointId: string, actor: string): Promise<number> {
  await freeLanes(trx, endpointId);
  await emptyLanes(trx, endpointId);
  return deadLetterOpenDeliveries(trx, endpointId, actor);
}
