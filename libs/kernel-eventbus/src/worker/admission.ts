import { Injectable } from '@nestjs/common';
import { Capabilities } from '../dispatch/capabilities.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { InFlightList } from './in-flight-list.js';
import type { DeadLetterReason } from '../judgement/judge-attempt.js';
import { LeaseReleaser } from './lease-releaser.js';
import { SendGate } from './send-gate.js';

/** Crashes in a row with this delivery as the only suspect in flight, after which it counts as their cause. */
const MAX_SOLO_CRASHES = 3;

/** Decides whether a claimed delivery may be sent, and when: within the limits, and after the database knows of it. */
@Injectable()
export class Admission {
  constructor(
    private readonly gate: SendGate,
    private readonly inFlight: InFlightList,
    private readonly capabilities: Capabilities,
    private readonly leases: LeaseReleaser,
  ) {}

  /** Reason to dead-letter the delivery unsent, if there is one. */
  refuse({ endpoint, soloCrashes }: ClaimedDelivery): DeadLetterReason | undefined {
    if (endpoint.isDeleted) {
      return 'endpoint_deleted';
    }
    return soloCrashes >= MAX_SOLO_CRASHES ? 'poison' : undefined;
  }

  /**
   * A host's dispatcher gets the delivery before it has a place, and may crash with it: it is announced before the
   * handoff.
   */
  handOff({ deliveryId, endpoint }: ClaimedDelivery): Promise<void> | undefined {
    return this.capabilities.isBuiltIn(endpoint.dispatcher) ? undefined : this.inFlight.begin(deliveryId);
  }

  /** Waits for a place in flight and for the announcement, then sends. */
  async pass<T>(delivery: ClaimedDelivery, send: () => Promise<T>): Promise<T> {
    await this.gate.enter(delivery);
    try {
      await this.inFlight.begin(delivery.deliveryId);
      return await send();
    } finally {
      this.gate.leave(delivery);
    }
  }

  /** The outcome is recorded, or the delivery was released. */
  leave({ deliveryId }: ClaimedDelivery): void {
    this.inFlight.end(deliveryId);
  }

  park(delivery: ClaimedDelivery): Promise<void> {
    return this.leases.park(delivery);
  }

  release(delivery: ClaimedDelivery): Promise<void> {
    return this.leases.release(delivery);
  }
}
