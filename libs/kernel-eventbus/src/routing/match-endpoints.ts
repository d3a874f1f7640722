import { ALL_TENANTS, HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import type { ClaimedEvent, PendingEvent } from './claim-pending-events.sql.js';
import type { SubscribedEndpoint } from './find-subscribed-endpoints.sql.js';
import { parseOnce } from './parse-once.js';
import type { SubscriptionJudge } from './subscription-judge.js';

export interface Match<Event extends PendingEvent = ClaimedEvent> {
  event: Event;
  endpoint: SubscribedEndpoint;
}

/** An event goes to the endpoints of its own tenant, and to the handlers of all tenants, that want it. */
export function matchEndpoints<Event extends PendingEvent>(
  events: readonly Event[],
  endpoints: readonly SubscribedEndpoint[],
  subscriptions: Pick<SubscriptionJudge, 'judge'>,
): Match<Event>[] {
  return events.flatMap((event) => {
    const judged = { type: event.type, payload: parseOnce(event.payloadJson) };
    return endpoints
      .filter((endpoint) => isFor(event, endpoint) && subscriptions.judge(endpoint, judged).isMatch)
      .map((endpoint) => ({ event, endpoint }));
  });
}

function isFor(event: PendingEvent, { tenantId, dispatcher }: SubscribedEndpoint): boolean {
  return tenantId === ALL_TENANTS ? dispatcher === HANDLER_DISPATCHER : tenantId === event.tenantId;
}
