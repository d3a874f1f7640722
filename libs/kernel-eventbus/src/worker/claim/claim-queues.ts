import type { Kysely } from 'kysely';
import { advanceRotation } from './advance-rotation.js';
import type { Claim } from './claim.js';
import { findDueQueues, type QueueSource } from './due-queues.sql.js';
import { QueueRotation, type QueueKey } from './queue-rotation.js';
import { shareOut, type QueueShare } from './share-out.js';

/** Minimum of tenants that a claim inspects: some of them may have nothing that it can take. */
const MIN_TENANTS = 64;
/** Queues that a claim inspects per tenant, on average. */
const QUEUES_PER_TENANT = 4;

/** One claim: finds queues with due work, shares the places out, leases, and advances the rotation. */
export async function claimQueues<Claimed extends QueueKey>(
  db: Kysely<unknown>,
  sources: readonly QueueSource[],
  claim: Claim,
  lease: (shares: readonly QueueShare[]) => Promise<Claimed[]>,
): Promise<Claimed[]> {
  const rotation = claim.rotation ?? new QueueRotation();
  const tenants = Math.max(claim.limit, MIN_TENANTS);
  const found = await findDueQueues(db, sources, rotation, {
    tenants: tenants + claim.exceptTenantIds.length,
    queues: tenants * QUEUES_PER_TENANT,
  });
  const shared = shareOut(found, claim, rotation);
  const claimed = shared.shares.length > 0 ? await lease(shared.shares) : [];
  advanceRotation(rotation, found, shared, claimed, claim.limit);
  return claimed;
}
