import { ALL_TENANTS } from '../handlers/handler-names.js';
import type { PendingEvent } from './claim-pending-events.sql.js';
import type { SubscribedEndpoint } from './find-subscribed-endpoints.sql.js';

export interface Match {
  event: PendingEvent;
  endpoint: SubscribedEndpoint;
}

/** An event goes to the endpoints of its own tenant, and to the handlers of all tenants, that subscribe to exactly its type. */
export function matchEndpoints(events: readonly PendingEvent[], endpoints: readonly SubscribedEndpoint[]): Match[] {
  return events.flatMap((event) =>
    endpoints
      .filter(
        ({ tenantId, subscribedTypes }) =>
          (tenantId === event.tenantId || tenantId === ALL_TENANTS) && subscribedTypes.includes(event.type),
      )
      .map((endpoint) => ({ event, endpoint })),
  );
}
