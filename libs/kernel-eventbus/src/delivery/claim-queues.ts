import type { Kysely } from 'kysely';
import { advanceRotation } from './advance-rotation.js';
import type { Claim } from './claim.js';
import { findDueQueues, type QueueSource } from './due-queues.sql.js';
import { QueueRotation, type QueueKey } from './queue-rotation.js';
import { shareOut, type QueueShare } from './share-out.js';

/** Tenants that a small claim looks at: some of them may have nothing that it can take. */
const MIN_TENANTS = 64;
/** Queues that a claim looks at for each tenant it looks at, on average. */
const QUEUES_PER_TENANT = 4;

/** One claim: find queues with something due, share it out, lease, and note where it ended. */
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
