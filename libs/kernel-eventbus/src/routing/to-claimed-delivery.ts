import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { Match } from './match-subscribers.js';

/** A delivery inserted under this worker's lease, with everything that its first attempt needs. */
export function toClaimedDelivery(deliveryId: string, { event, endpoint }: Match): ClaimedDelivery {
  return {
    deliveryId,
    leaseEpoch: 1,
    attempts: 0,
    replayCount: 0,
    errorClass: null,
    dispatchedAt: event.dispatchedAt,
    eventId: event.eventId,
    tenantId: event.tenantId,
    streamKey: event.streamKey,
    streamSequence: event.streamSequence,
    previousSequence: null,
    type: event.type,
    occurredAt: event.occurredAt,
    traceId: event.traceId,
    actorId: event.actorId,
    payloadJson: event.payloadJson,
    aggregateType: event.aggregateType,
    aggregateId: event.aggregateId,
    attributesJson: event.attributesJson,
    createdAtMs: event.createdAtMs,
    traceParent: event.traceParent,
    traceState: event.traceState,
    endpointId: endpoint.endpointId,
    endpoint,
    soloCrashes: 0,
    isProbe: false,
  };
}
