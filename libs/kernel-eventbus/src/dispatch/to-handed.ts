import type { InvocationRequest } from './invocation.js';
import type { HandedDelivery } from './webhook-dispatcher.js';

/** A delivery for hosts. These fields only: the engine's delivery contains the payload before redaction. */
export function toHanded(delivery: InvocationRequest): HandedDelivery {
  return {
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    tenantId: delivery.tenantId,
    endpointId: delivery.endpointId,
    url: delivery.endpoint.url,
    type: delivery.type,
    traceId: delivery.traceId,
    traceParent: delivery.traceParent,
    traceState: delivery.traceState,
    streamKey: delivery.streamKey,
    streamSequence: delivery.streamSequence,
    previousSequence: delivery.previousSequence,
    attempt: delivery.attempts + 1,
    replayCount: delivery.replayCount,
    leaseEpoch: delivery.leaseEpoch,
  };
}
