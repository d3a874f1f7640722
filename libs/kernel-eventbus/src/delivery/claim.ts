import type { HeldPlaces, SlotLimits } from './slots.js';

/** Who claims, for how long, and what room there is. */
export interface Claim {
  workerId: string;
  leaseMs: number;
  /** When an endpoint whose circuit is open may be probed again, after this claim took its probe. */
  probeMs: number;
  limit: number;
  perEndpoint: SlotLimits['perEndpoint'];
  prefetch: SlotLimits['prefetch'];
  /** What the worker holds already, per endpoint. */
  held: HeldPlaces;
}
