import type { EndpointSettings } from '../endpoints/endpoint-settings.js';

/** A delivery that this worker holds under a lease, with everything that an attempt needs. */
export interface ClaimedDelivery {
  deliveryId: string;
  leaseEpoch: number;
  attempts: number;
  /** Number of replays. */
  replayCount: number;
  /** Of the last failure or deferral. */
  errorClass: string | null;
  dispatchedAt: string;
  eventId: string;
  tenantId: string;
  streamKey: string;
  /** Null: the event's type is not ordered. */
  streamSequence: string | null;
  /** Sequence of the previous event of the lane; null outside of lanes and for a lane's first. */
  previousSequence: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** Time at which the event was written, in milliseconds since 1970. */
  createdAtMs: number;
  /** Of the span that published the event, or of its caller; null: not traced. */
  traceParent: string | null;
  traceState: string | null;
  endpointId: string;
  /** The endpoint as of the claim. */
  endpoint: EndpointSettings;
  /** Crashes of workers in a row with this as the only suspect in flight. */
  soloCrashes: number;
  /** Claimed as a suspect. */
  isSuspect?: boolean;
  /** The endpoint's circuit is open: this delivery tests whether it answers again. */
  isProbe: boolean;
  /** `EndpointVersions.count` from before the claim. Not needed if it is sent at once. */
  asOf?: number;
}

/** For log lines. */
export function idsOf({ deliveryId, eventId, endpointId, tenantId, type }: ClaimedDelivery) {
  return { deliveryId, eventId, endpointId, tenantId, type };
}
