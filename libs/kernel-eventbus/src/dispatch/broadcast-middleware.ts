import type { EventEnvelope } from '../envelope/event-envelope.js';

export interface BroadcastResult {
  /** Number of deliveries of the event. */
  deliveries: number;
}

/**
 * Runs once around the fan-out of an event, before it is matched and until its deliveries are written, in the order of
 * the options; for the events of a stream with an ordered endpoint, one after the other. Without a call of `next` the
 * event gets no deliveries. An error leaves the event pending, to be tried again later. So does a run longer than
 * `broadcastTimeoutMs`: it is not awaited any longer, and its `next` throws. A fan-out that fails, or whose process
 * dies, starts over with its middleware.
 */
export interface BroadcastMiddleware {
  readonly name: string;
  broadcast(event: EventEnvelope, next: () => Promise<BroadcastResult>): Promise<unknown>;
}
