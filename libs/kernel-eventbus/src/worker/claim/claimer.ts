import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { ClaimedLane } from '../../deliveries/claims.sql.js';
import { Capabilities } from '../../dispatch/capabilities.js';
import { EndpointCache } from '../../endpoints/endpoint-cache.js';
import { EventBusConfig } from '../../eventbus.config.js';
import { engineDatabase } from '@kernel/runtime';
import { Pulse } from '../liveness/pulse.js';
import { WorkerIdentity } from '../../runtime/worker-identity.js';
import { claimDeliveries, claimLanes } from './claim-due.sql.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from '../../deliveries/claimed-delivery.js';
import type { QueueRotation } from './queue-rotation.js';
import { Slots, type Share } from '../slots.js';

/** Claims due deliveries and lanes for this worker, within a share of its free places. */
@Injectable()
export class Claimer {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly pulse: Pulse,
    private readonly capabilities: Capabilities,
    private readonly slots: Slots,
    private readonly endpoints: EndpointCache,
  ) {}

  deliveries(share: Share, rotation: QueueRotation): Promise<ClaimedDelivery[]> {
    return claimDeliveries(engineDatabase(this.em), this.claim(share, rotation));
  }

  lanes(share: Share, rotation: QueueRotation): Promise<ClaimedLane[]> {
    return claimLanes(engineDatabase(this.em), this.claim(share, rotation));
  }

  private claim(share: Share, rotation: QueueRotation): Claim {
    return {
      ...share,
      takesExpired: this.pulse.mayTakeExpired,
      leaseMs: this.config.leaseMs,
      workerId: this.worker.id,
      probeMs: this.config.circuit.probeMs,
      perEndpoint: this.config.perEndpointConcurrency,
      prefetch: this.slots.limits.prefetch,
      held: this.slots.held(),
      endpoints: this.endpoints,
      rotation,
      canSend: (endpoint) => this.capabilities.canSend(endpoint),
    };
  }
}
