import type { OutgoingRequest, OutgoingResult } from '@kernel/outgoing-http';

/** A delivery attempt, as its dispatcher sees it. */
export interface HandedDelivery {
  deliveryId: string;
  eventId: string;
  tenantId: string;
  endpointId: string;
  url: string;
  type: string;
  /** Of the event, before redaction: for the application itself. `DispatchedRequest` has the one that may go out. */
  streamKey: string;
  /** Null: the event's type is not ordered. */
  streamSequence: string | null;
  /** Sequence of the previous event of the lane; null outside of lanes and for a lane's first. */
  previousSequence: string | null;
  traceId: string;
  /** W3C `traceparent` of the publication; null: not traced. */
  traceParent: string | null;
  /** W3C `tracestate` of the publication; null: none. */
  traceState: string | null;
  /** From 1, again after each replay. */
  attempt: number;
  replayCount: number;
  /** Number of claims. More than `attempt`: a process that is gone may have handed it off before. */
  leaseEpoch: number;
}

/** The request after all middleware. */
export interface DispatchedRequest extends OutgoingRequest {
  /** As the policy lets it out to an external endpoint: itself, its hash, or null if it is dropped. */
  streamKey: string | null;
}

/** The last step of an attempt: sends the request, and returns the result. */
export type SendRequest = (request: DispatchedRequest) => Promise<OutgoingResult>;

export interface Handoff {
  readonly delivery: HandedDelivery;
  /** Aborted when the worker has to stop. */
  readonly signal: AbortSignal;
  /**
   * Makes the attempt: redaction, middleware, signature, then `send`, by default the guarded HTTP client. The engine
   * judges and records the result, and only that counts. The promise resolves when the attempt is over, and never
   * rejects. Call it once.
   */
  invoke(send?: SendRequest): Promise<void>;
}

/** Secondary telemetry: whether a dispatcher took the delivery. It does not tell whether the delivery arrives. */
export interface HandoffResult {
  status: 'accepted' | 'enqueued' | 'rejected';
  /** Reason of a rejection. */
  reason?: string;
}

/** Destination of an endpoint's events. */
export interface Destination {
  url: string;
  tenantId: string;
}

/**
 * Delivers to endpoints. A direct dispatcher invokes and returns `accepted`; a queued one returns `enqueued` and
 * invokes later, while the delivery stays PENDING and leased, so that nothing is lost with the process. A dispatcher
 * does not retry: the engine hands a failed delivery off again when its next attempt is due.
 */
export interface WebhookDispatcher {
  /** Endpoints and the application's default choose it by this name. */
  readonly name: string;
  /**
   * Accepted url schemes, in lower case and with their colon (`queue:`). Default: `https:` and `http:`, which the
   * outgoing guard vets; every other scheme requires `checkDestination`.
   */
  readonly schemes?: readonly string[];
  /**
   * Reason to refuse a url of another scheme than `https:` and `http:`, readable by the endpoint's owner; undefined:
   * accepted. Called when the endpoint is saved and at every attempt, so it has to be fast. Urls with credentials,
   * blanks or control characters are refused before.
   */
  checkDestination?(destination: Destination): string | undefined | Promise<string | undefined>;
  dispatch(handoff: Handoff): Promise<HandoffResult>;
}
