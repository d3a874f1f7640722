import type { PlaceLimits } from '@kernel/outgoing-http';

/**
 * Limits of test webhooks in flight in this process. They bypass the send gate, so they are limited here, and each pool
 * has sockets for them.
 */
export const TEST_WEBHOOK_LIMITS: PlaceLimits = { total: 16, perTenant: 4 };
