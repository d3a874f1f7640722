import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { RoutedEvent } from '../telemetry/pipeline-observers.js';

export interface RoutedBatch {
  /** So that the caller knows whether to come again. */
  routed: number;
  /** Leased to this worker already: to be sent without a claim. */
  handedOff: ClaimedDelivery[];
  /** Deliveries that wait in the queue, because there was no room or because they go through a lane. */
  queued: number;
  /** Set where the batch is not written yet. */
  written?: Promise<void>;
}

/** The same with the events themselves, for whoever observes. */
export interface FannedOut extends Omit<RoutedBatch, 'routed'> {
  events: readonly RoutedEvent[];
}

export const NOTHING_ROUTED: FannedOut = { events: [], handedOff: [], queued: 0 };
