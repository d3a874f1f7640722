import { Injectable } from '@nestjs/common';
import type { ClaimedLane } from '../deliveries/claims.sql.js';
import type { Place } from '../routing/room.js';
import { AdaptivePolling } from './liveness/adaptive-polling.js';
import type { ClaimRunner } from './claim/claim-runner.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { EndpointVersions } from './endpoint-versions.js';
import { HeldWork } from './held-work.js';
import { InFlightList } from './in-flight-list.js';
import { LeaseReleaser } from './lease-releaser.js';
import { QueueClaims } from './claim/queue-claims.js';
import { Slots } from './slots.js';

/** Begins claimed work in its place and tracks it until it has ended. */
@Injectable()
export class WorkTracker implements ClaimRunner {
  readonly #running = new Set<Promise<void>>();
  #lastEndMs = 0;
  #isBehind = false;

  constructor(
    private readonly held: HeldWork,
    private readonly slots: Slots,
    private readonly queue: QueueClaims,
    private readonly polling: AdaptivePolling,
    private readonly versions: EndpointVersions,
    private readonly inFlight: InFlightList,
    private readonly leases: LeaseReleaser,
  ) {}

  /** Time at which the last delivery or lane ended, by the monotonic clock. */
  get lastEndMs(): number {
    return this.#lastEndMs;
  }

  /** True: the last poll stopped because the places were taken. The next one follows as soon as there is room. */
  setBehind(isBehind: boolean): void {
    this.#isBehind = isBehind;
  }

  countChanges(): number {
    return this.versions.count;
  }

  lookAgain(): void {
    this.polling.lookAgain();
  }

  delivery(delivery: ClaimedDelivery, asOf: number, written?: Promise<void>): Promise<void> {
    delivery.asOf = asOf;
    return this.trackInFlight(delivery, this.held.deliver(delivery, written));
  }

  lane(lane: ClaimedLane, asOf: number): Promise<void> {
    lane.deliveries.forEach((delivery) => (delivery.asOf = asOf));
    return this.trackInFlight(lane, this.held.run(lane));
  }

  /** Otherwise they would wait until their lease expires. */
  releaseUnbegun(deliveryIds: string[]): void {
    const releasing: Promise<void> = this.leases
      .releaseUnbegun(deliveryIds)
      .finally(() => this.#running.delete(releasing));
    this.#running.add(releasing);
  }

  /** Waits for all work, then ends the announcements of requests in flight. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all(this.#running);
    }
    await this.inFlight.stop();
  }

  private trackInFlight(place: Place, work: Promise<boolean>): Promise<void> {
    this.slots.hold(place);
    const end = (isReleased: boolean) => {
      this.#running.delete(running);
      this.#lastEndMs = performance.now();
      this.slots.release(place);
      if (isReleased) {
        this.queue.noteWaiting();
      }
      if (this.#isBehind && (this.slots.canRefill || !this.slots.isHeldBy(place.tenantId))) {
        this.#isBehind = false;
        this.polling.lookAgain();
      }
    };
    // Work rejects only if the host's logger throws.
    const running: Promise<void> = work.then(end, () => end(false));
    this.#running.add(running);
    return running;
  }
}
