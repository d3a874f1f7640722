import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';

export interface RoutedBatch {
  /** So that the caller knows whether to come again. */
  routed: number;
  /** Leased to this worker already: to be sent without a claim. */
  handedOff: ClaimedDelivery[];
  /** Deliveries that wait in the queue, because there was no room or because they go through a lane. */
  queued: number;
}

export const NOTHING_ROUTED: RoutedBatch = { routed: 0, handedOff: [], queued: 0 };
