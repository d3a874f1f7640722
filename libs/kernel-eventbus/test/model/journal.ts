import type { DeliveryStatus } from '../../src/deliveries/webhook-delivery.js';

/** A delivery under the lease of one claim. */
export interface HoldKey {
  workerId: string;
  deliveryId: string;
  leaseEpoch: number;
}

/** One action of a worker. */
export type Fact = HoldKey &
  (
    | { kind: 'held'; endpointId: string; laneId: string | null; isSuspect: boolean }
    | { kind: 'sent'; endpointId: string; previousSequence: string | null }
    /** Its outcome was accepted or refused. */
    | { kind: 'recorded'; isTaken: boolean; status: DeliveryStatus; attempts: number }
    /** The worker is done with it, whatever the outcome. */
    | { kind: 'ended' }
  );

export type Journal = Fact[];
