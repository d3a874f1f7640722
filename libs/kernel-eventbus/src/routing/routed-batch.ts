import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { RoutedEvent } from '../telemetry/pipeline-observers.js';

export interface RoutedBatch {
  /** How many events were routed. */
  routed: number;
  /** Leased to this worker: to be sent without a claim. */
  leased: ClaimedDelivery[];
  /** Deliveries in the queue, because there was no room or because they go through a lane. */
  queued: number;
}

/** The same with the events themselves, for observers. */
export interface FannedOut extends Omit<RoutedBatch, 'routed'> {
  events: readonly RoutedEvent[];
  /** Claimed events were left out, because the batch was full or the time for predicates was up. */
  isCut: boolean;
}

export const NOTHING_ROUTED: FannedOut = { events: [], leased: [], queued: 0, isCut: false };

/** Takes deliveries that may be sent. Their outcomes are recorded after `written`, which rejects if their rows could not be written. */
export type BeginSending = (deliveries: ClaimedDelivery[], written: Promise<void>) => void;
