import type { SignatureScheme } from '@kernel/secrets';
import type { EndpointHeaders, EndpointRetry, OnDeadLetter } from '../routing/webhook-endpoint.entity.js';

/** A delivery that this worker holds under a lease, with all that its attempt needs. */
export interface ClaimedDelivery {
  deliveryId: string;
  leaseEpoch: number;
  attempts: number;
  /** How often it was replayed. */
  replayCount: number;
  /** Of the last failure or deferral. */
  errorClass: string | null;
  dispatchedAt: string;
  eventId: string;
  tenantId: string;
  streamKey: string;
  /** Null: the event's type asks for no order. */
  streamSequence: string | null;
  /** The one routed to the same lane before it; null outside a lane and for a lane's first. */
  previousSequence: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** When its event was written, in milliseconds since 1970. */
  createdAtMs: number;
  /** Of the span that published its event; null: nobody traced that. */
  traceParent: string | null;
  endpointId: string;
  /** Of the endpoint's row, as it was when the delivery was taken: see `selectEndpointVersions`. */
  endpointVersion: string;
  url: string;
  urlSetByOperator: boolean;
  signingSecretAlias: string;
  signature: SignatureScheme;
  headers: EndpointHeaders;
  onDeadLetter: OnDeadLetter;
  maxInFlight: number | null;
  /** Null: the application's default. */
  dispatcher: string | null;
  retry: EndpointRetry | null;
  timeoutMs: number | null;
  isEnabled: boolean;
  isExternal: boolean;
  isDeleted: boolean;
  /** How often in a row a worker crashed while this was the only suspect in flight. */
  soloCrashes: number;
  /** Claimed as a suspect. */
  isSuspect?: boolean;
  /** The endpoint's circuit is open: this one finds out whether it lives again. */
  isProbe: boolean;
  /** `EndpointChanges.count` from before it was taken; whoever sends it at once needs none. */
  asOf?: number;
}
