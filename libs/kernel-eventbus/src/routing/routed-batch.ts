import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { RoutedEvent } from '../telemetry/pipeline-observers.js';

export interface RoutedBatch {
  /** Number of routed events. */
  routed: number;
  /** Leased to this worker, which sends them without a claim. */
  leased: ClaimedDelivery[];
  /** Deliveries left in the queue, because there was no room or because they belong to a lane. */
  queued: number;
}

/** A routed batch with its events, for observers. */
export interface FannedOut extends Omit<RoutedBatch, 'routed'> {
  events: readonly RoutedEvent[];
  /** True if claimed events were left out, because the batch was full or the time for predicates was up. */
  isCut: boolean;
}

export const NOTHING_ROUTED: FannedOut = { events: [], leased: [], queued: 0, isCut: false };

/** Starts sending. Outcomes are recorded after `written`, which rejects if the rows could not be written. */
export type BeginSending = (deliveries: ClaimedDelivery[], written: Promise<void>) => void;

/** Receivers of the routed deliveries. Default: nothing is sent. */
export interface Sending {
  begin?: BeginSending;
  /** Takes deliveries that may be written under this worker's lease but are not begun, because the answer was lost. */
  release?: (deliveryIds: string[]) => void;
}
