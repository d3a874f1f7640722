import type { ClaimedLane } from '../../deliveries/claims.sql.js';
import type { ClaimedDelivery } from '../../deliveries/claimed-delivery.js';

/** Begins claimed work. `asOf`: the count of endpoint changes from before the claim. */
export interface ClaimRunner {
  /** Resolves when the outcome is recorded or the delivery was released. */
  delivery(delivery: ClaimedDelivery, asOf: number): Promise<void>;
  /** The same for a lane. */
  lane(lane: ClaimedLane, asOf: number): Promise<void>;
  countChanges(): number;
  /** Polls at once: more may wait. */
  lookAgain(): void;
}
