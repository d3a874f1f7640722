import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { PendingEvent } from './claim-pending-events.sql.js';
import type { HandOffEndpoint } from './hand-off-endpoint.sql.js';
import type { InsertedDelivery, NewDelivery } from './write-routed.sql.js';
import type { Match } from './match-endpoints.js';

/** The deliveries that were inserted under this worker's lease, with all that their attempt needs: no claim has to read it again. */
export function handOff(
  deliveries: readonly (NewDelivery & { match: Match })[],
  inserted: readonly InsertedDelivery[],
): ClaimedDelivery[] {
  const dispatchedAt = new Map(inserted.map((row) => [row.deliveryId, row.dispatchedAt]));
  return deliveries.flatMap(({ match: { event, endpoint }, ...delivery }) => {
    const at = dispatchedAt.get(delivery.deliveryId);
    if (!delivery.isHandedOff || !at) {
      return [];
    }
    return handedOff({ deliveryId: delivery.deliveryId, dispatchedAt: at }, event, endpoint);
  });
}

/** A delivery that was inserted under this worker's lease, on its first attempt. */
export function handedOff(
  { deliveryId, dispatchedAt }: InsertedDelivery,
  event: PendingEvent,
  endpoint: HandOffEndpoint,
): ClaimedDelivery {
  return {
    deliveryId,
    leaseEpoch: 1,
    attempts: 0,
    replayCount: 0,
    errorClass: null,
    dispatchedAt,
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
    endpointId: endpoint.endpointId,
    url: endpoint.url,
    signingSecretAlias: endpoint.signingSecretAlias,
    signature: endpoint.signature,
    headers: endpoint.headers,
    onDeadLetter: endpoint.onDeadLetter,
    maxInFlight: endpoint.maxInFlight,
    dispatcher: endpoint.dispatcher,
    retry: endpoint.retry,
    timeoutMs: endpoint.timeoutMs,
    isEnabled: true,
    isExternal: endpoint.isExternal,
    isDeleted: false,
    lonelyDeaths: 0,
    isProbe: false,
  };
}
