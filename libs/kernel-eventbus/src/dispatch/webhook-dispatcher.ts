import type { OutgoingRequest, OutgoingResult } from '../outgoing/outgoing-http.js';

/** What a dispatcher is told of the delivery attempt that is handed to it. */
export interface HandedDelivery {
  deliveryId: string;
  eventId: string;
  tenantId: string;
  endpointId: string;
  url: string;
  type: string;
  streamKey: string;
  /** Null: the event's type asks for no order. */
  streamSequence: string | null;
  /** The one routed to the same lane before it; null outside a lane and for a lane's first. */
  previousSequence: string | null;
  traceId: string;
  /** Counted from 1, anew after each replay. */
  attempt: number;
  replayCount: number;
  /** How often it was taken to be sent. More than `attempt`: it may have been handed over before, by a process that is gone. */
  leaseEpoch: number;
}

/** The last step of an attempt: the request with all that middleware made of it goes out, and what came of it comes back. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingResult>;

export interface Handoff {
  readonly delivery: HandedDelivery;
  /** Aborted when the worker has to stop. */
  readonly signal: AbortSignal;
  /**
   * Makes the attempt: redaction, middleware, signature, then `send`, by default the guarded HTTP client. What it comes to is
   * judged and recorded by the engine, and is all that counts; the promise is fulfilled when the attempt is over, and never
   * rejected. To be called once.
   */
  invoke(send?: SendRequest): Promise<void>;
}

/** Secondary telemetry: whether a dispatcher took the delivery. It says nothing of whether it arrives. */
export interface HandoffResult {
  status: 'accepted' | 'enqueued' | 'rejected';
  /** Why it was rejected. */
  reason?: string;
}

/** Where an endpoint's events are to go. */
export interface Destination {
  url: string;
  tenantId: string;
}

/**
 * A way to reach endpoints. A direct one invokes and answers `accepted`; a queued one answers `enqueued` and invokes later, while
 * the delivery stays PENDING and leased, so that nothing is lost with the process. It retries nothing by itself: the engine
 * hands a failed delivery over again when its next attempt is due.
 */
export interface WebhookDispatcher {
  /** By which endpoints and the application's default choose it. */
  readonly name: string;
  /**
   * The schemes of the urls it takes, in lower case and with their colon (`queue:`). Default: `https:` and `http:`, which the
   * outgoing guard vets; every other one needs `checkDestination`.
   */
  readonly schemes?: readonly string[];
  /**
   * Why an url of another scheme than `https:` and `http:` is no destination, in words that the endpoint's owner may read;
   * undefined: it is one. Asked when the endpoint is saved and again at every attempt, so it has to be quick. Urls with
   * credentials, blanks or control characters never come so far.
   */
  checkDestination?(destination: Destination): string | undefined | Promise<string | undefined>;
  dispatch(handoff: Handoff): Promise<HandoffResult>;
}
