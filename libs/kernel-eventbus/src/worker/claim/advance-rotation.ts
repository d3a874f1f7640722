import type { FoundQueue } from './due-queues.sql.js';
import type { QueueKey, QueueRotation } from './queue-rotation.js';
import type { SharedOut } from './share-out.js';

/** Moves the rotation to the end of a claim: the last tenant served, or the last one that the walk reached. */
export function advanceRotation(
  rotation: QueueRotation,
  found: readonly FoundQueue[],
  shared: SharedOut,
  claimed: readonly QueueKey[],
  limit: number,
): void {
  const byTenant = Map.groupBy(
    found.filter(({ isDue, isTenantCut }) => isDue || isTenantCut),
    ({ tenantId }) => tenantId,
  );
  const served = new Set(shared.shares.map(keyOf));
  const ends = [...byTenant].map(([tenantId, queues]) => {
    const inTurn = queues.sort((one, other) => rotation.compare(one, other));
    const isCut = inTurn.some(({ isTenantCut }) => isTenantCut);
    const last = inTurn.findLast((queue) => served.has(keyOf(queue))) ?? (isCut ? inTurn.at(-1) : undefined);
    const isAllServed = !isCut && last === inTurn.at(-1);
    return [tenantId, isAllServed ? undefined : last?.endpointId] as const;
  });
  const tenant = lastTenant(rotation, found, shared, claimed.length >= limit ? claimed : []);
  ends.forEach(([tenantId, endpointId]) => rotation.endTenantAt(tenantId, endpointId));
  rotation.endAt(tenant);
}

/** Undefined: every tenant was served. */
function lastTenant(
  rotation: QueueRotation,
  found: readonly FoundQueue[],
  { shares, isTenantLeftOut }: SharedOut,
  claimed: readonly QueueKey[],
): string | undefined {
  const furthest = (queues: readonly QueueKey[]) =>
    queues
      .map(({ tenantId }) => tenantId)
      .sort((one, other) => rotation.compareTenants(one, other))
      .at(-1);
  const walks = Map.groupBy(
    found.filter(({ isCut }) => isCut),
    ({ kind }) => kind,
  );
  return [...walks.values(), claimed, isTenantLeftOut ? shares : []]
    .map(furthest)
    .filter((tenantId) => tenantId !== undefined)
    .sort((one, other) => rotation.compareTenants(one, other))[0];
}

function keyOf({ tenantId, endpointId }: QueueKey): string {
  return `${tenantId} ${endpointId}`;
}
