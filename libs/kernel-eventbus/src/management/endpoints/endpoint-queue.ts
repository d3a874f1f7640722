import type { Kysely } from 'kysely';
import { emptyLanes, freeLanes } from '../../deliveries/lanes.sql.js';
import { parkLanes, parkOpenDeliveries, resumeLanes, resumeParkedDeliveries } from '../../deliveries/parking.sql.js';
import { deadLetterOpenDeliveries } from '../../deliveries/dead-letters.sql.js';
import type { StoredSettings } from './stored-settings.js';

// Lanes before deliveries, the lock order of routers and claims, to avoid deadlocks. The caller holds the lock on the
// endpoint's row.

/** Applies a change of an endpoint to its lanes and open deliveries. */
export async function adaptQueue(
  trx: Kysely<unknown>,
  endpointId: string,
  { isEnabled, ordering }: Partial<StoredSettings>,
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

/** Dead-letters the open deliveries of a deleted endpoint. Returns their number. */
export async function endQueue(trx: Kysely<unknown>, endpointId: string, actor: string): Promise<number> {
  await freeLanes(trx, endpointId);
  await emptyLanes(trx, endpointId);
  return deadLetterOpenDeliveries(trx, endpointId, actor);
}
