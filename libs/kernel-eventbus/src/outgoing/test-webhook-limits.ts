import type { PlaceLimits } from './tenant-places.js';

/** Test webhooks in flight in this process. They pass no gate, so their number is limited here, and each pool has sockets for them. */
export const TEST_WEBHOOK_LIMITS: PlaceLimits = { total: 16, perTenant: 4 };
