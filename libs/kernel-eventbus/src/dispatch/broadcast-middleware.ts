import type { EventEnvelope } from '../envelope/event-envelope.js';

export interface BroadcastResult {
  /** Deliveries that the event came to. */
  deliveries: number;
}

/**
 * Runs once around the fan-out of an event, before it is matched and until its deliveries are written, in the order of the
 * options; for the events of a stream that an ordered endpoint wants, one after the other. Without a call of `next` the event is
 * published to nobody. What it throws leaves the event pending; it is tried again later. So is an event whose middleware takes
 * longer than `broadcastTimeoutMs`: nobody waits for that any more, and its `next` throws. A fan-out that fails, or whose process
 * dies, is begun anew, and the middleware with it.
 */
export interface BroadcastMiddleware {
  readonly name: string;
  broadcast(event: EventEnvelope, next: () => Promise<BroadcastResult>): Promise<unknown>;
}
