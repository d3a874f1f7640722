import type { EndpointCache } from '../../endpoints/endpoint-cache.js';
import type { SendableEndpoint } from '../../dispatch/capabilities.js';
import type { QueueRotation } from './queue-rotation.js';
import type { HeldPlaces, Share, SlotLimits } from '../slots.js';

/** A worker's claim: lease time and free places. */
export interface Claim extends Share {
  workerId: string;
  leaseMs: number;
  /**
   * Takes expired leases too. False after an outage of the database: live workers renew theirs first. Default: true.
   */
  takesExpired?: boolean;
  /** Time until the next probe of an endpoint with an open circuit, after this claim took one. */
  probeMs: number;
  perEndpoint: SlotLimits['perEndpoint'];
  prefetch: SlotLimits['prefetch'];
  /** Deliveries that the worker already holds, per endpoint. */
  held: HeldPlaces;
  endpoints: EndpointCache;
  /** Position at which the last claim ended. Default: the beginning. */
  rotation?: QueueRotation;
  /** True if this process can send to the endpoint. Default: every endpoint. */
  canSend?: (endpoint: SendableEndpoint) => boolean;
}
