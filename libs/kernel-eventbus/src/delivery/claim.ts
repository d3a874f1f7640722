import type { SendableEndpoint } from '../dispatch/capabilities.js';
import type { QueueRotation } from './queue-rotation.js';
import type { HeldPlaces, Share, SlotLimits } from './slots.js';

/** A worker's claim: for how long, and what room there is. */
export interface Claim extends Share {
  workerId: string;
  leaseMs: number;
  /** Leases that ran out are taken too. Not after the database was away: those that live renew theirs first. Default: true. */
  takesExpired?: boolean;
  /** When an endpoint whose circuit is open may be probed again, after this claim took its probe. */
  probeMs: number;
  perEndpoint: SlotLimits['perEndpoint'];
  prefetch: SlotLimits['prefetch'];
  /** Deliveries the worker holds already, per endpoint. */
  held: HeldPlaces;
  /** Where the last claim ended. Default: at the beginning. */
  rotation?: QueueRotation;
  /** Whether this process can send to the endpoint. Default: to each. */
  canSend?: (endpoint: SendableEndpoint) => boolean;
}
