import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ActivityRecorder } from '../activity/activity-recorder.js';
import { Capabilities } from '../dispatch/capabilities.js';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import { Router } from '../routing/router.js';
import { AdaptivePolling } from '../runtime/adaptive-polling.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { Heartbeat } from '../runtime/heartbeat.js';
import { Pulse } from '../runtime/pulse.js';
import { TransientRetry } from '../runtime/transient-retry.js';
import { WakeUp } from '../runtime/wake-up.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { EndpointChanges } from './endpoint-changes.js';
import { HeldWork } from './held-work.js';
import { InFlightList } from './in-flight-list.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { ClaimedLane } from './lease-lanes.sql.js';
import { QueueClaims } from './queue-claims.js';
import { releaseUnbegun } from './release-delivery.sql.js';
import { releaseLeases } from './release-leases.sql.js';
import { Slots, type Place, type Reservation, type Share } from './slots.js';
import { Suspects } from './suspects.js';

/** Deliveries held for each one in flight: what is fetched ahead is sent while the next is being fetched. */
const PREFETCH = 8;

/** How many times `concurrency` have to be free before a full worker looks for more: small batches cost nearly as much as large ones. */
const REFILL = 2;

/** The worker: looks for work when nudged and at the scheduled times, and keeps up to `concurrency` deliveries in flight. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(DeliveryProcessor.name);
  readonly #inFlight = new Set<Promise<void>>();
  readonly #abandon = new AbortController();
  readonly #slots: Slots;
  readonly #queue: QueueClaims;
  /** The last look stopped because the places were taken, not because there was nothing left. */
  #isBehind = false;
  /** When the last delivery or lane ended. */
  #lastEnd = 0;
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly router: Router,
    private readonly held: HeldWork,
    private readonly suspects: Suspects,
    private readonly inFlight: InFlightList,
    private readonly heartbeat: Heartbeat,
    private readonly pulse: Pulse,
    private readonly leases: LeaseKeeper,
    private readonly worker: WorkerIdentity,
    private readonly polling: AdaptivePolling,
    private readonly wakeUp: WakeUp,
    private readonly changes: EndpointChanges,
    private readonly activity: ActivityRecorder,
    capabilities: Capabilities,
    private readonly retry: TransientRetry,
  ) {
    this.#slots = new Slots({
      total: config.concurrency,
      perEndpoint: config.perEndpointConcurrency,
      prefetch: PREFETCH,
    });
    this.#queue = new QueueClaims(em, config, worker, pulse, wakeUp, this.#slots, capabilities, {
      delivery: (delivery, asOf) => void this.beginDelivery(delivery, asOf),
      lane: (lane, asOf) => void this.beginLane(lane, asOf),
      countChanges: () => changes.count,
      lookAgain: () => polling.lookAgain(),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role !== 'api') {
      this.pulse.onLost(() => this.held.drop());
      await this.heartbeat.start(() => this.isStuck());
      this.leases.start();
      this.#unsubscribe = this.wakeUp.onEndpointChanged((change) => this.held.hearChange(change));
      this.polling.start('kernel-eventbus-delivery', () => this.look());
    }
  }

  /** Stops claiming, waits for what is in flight, and gives back the rest without using up an attempt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#queue.close();
    // Before the look under way is waited for: it may be waiting itself, for middleware or for what is in flight.
    const deadline = setTimeout(() => this.abandon(), this.config.shutdownTimeoutMs);
    await this.polling.stop();
    await this.#queue.settled();
    await this.suspects.close();
    this.#unsubscribe();
    await this.drained();
    await this.inFlight.stop();
    clearTimeout(deadline);
    await this.activity.stop();
    if (this.config.role !== 'api') {
      await this.giveBack().catch((error: unknown) =>
        this.#logger.warn({
          msg: 'leases were not given back; they are freed when this worker is missed',
          fault: faultOf(error),
        }),
      );
    }
  }

  private async giveBack(): Promise<void> {
    await this.leases.stop();
    try {
      await releaseLeases(engineDatabase(this.em), this.worker.id);
    } finally {
      await this.heartbeat.stop();
    }
  }

  /** Routes and claims once. True when there may be more to do at once. */
  private async look(): Promise<boolean> {
    // Without a heartbeat, deliveries claimed now could neither be sent nor be freed by a rescuer.
    if (!this.pulse.isFresh) {
      return false;
    }
    this.suspects.tryBeside({
      delivery: (delivery, asOf) => this.beginDelivery(delivery, asOf),
      lane: (lane, asOf) => this.beginLane(lane, asOf),
      countChanges: () => this.changes.count,
    });
    const isShort = this.#slots.free < REFILL * this.config.concurrency;
    // Where both have something to do, each has half of the places, one at least, and neither waits for the other.
    const { free } = this.#slots;
    const share = this.#queue.isDue ? Math.ceil(free / 2) : free;
    const claiming = this.#queue.claimIfDue(share);
    claiming.catch(() => undefined);
    const routed = await this.routeAll(share);
    const hasClaimed = await claiming;
    if (isShort) {
      await this.serveNewcomers();
    }
    this.#isBehind = this.#slots.free <= 0;
    return !this.#isBehind && (routed > 0 || hasClaimed);
  }

  /**
   * Takes as many events as there is room for, so that their deliveries need not be claimed again. While events wait, two
   * batches are under way at a time: a worker that is busy sending is slow to answer, and one batch would wait most of the time.
   */
  private async routeAll(free: number): Promise<number> {
    if (free <= 0) {
      return 0;
    }
    const batches = this.router.hasBacklog && free >= 2 * REFILL * this.config.concurrency ? 2 : 1;
    const limit = Math.min(Math.ceil(free / batches), this.config.routingBatchSize);
    const routed = await Promise.all(
      Array.from({ length: batches }, () => this.route(this.#slots.reserve(limit), { limit })),
    );
    return routed.reduce((sum, count) => sum + count);
  }

  /** One tenant may hold every place. Tenants that hold none are served from the reserve. */
  private async serveNewcomers(): Promise<void> {
    const share = this.#slots.shareForNewcomers();
    if (share.limit > 0) {
      await this.route(this.#slots.reserveForNewcomers(share), share);
      await this.#queue.claimForNewcomers();
    }
  }

  private async route(
    room: Reservation,
    claim: Pick<Share, 'limit'> & Partial<Pick<Share, 'exceptTenantIds'>>,
  ): Promise<number> {
    const asOf = this.changes.count;
    try {
      const { routed, queued } = await this.router.routeBatch(room, {
        ...claim,
        signal: this.#abandon.signal,
        begin: (deliveries, written) =>
          deliveries.forEach((delivery) => void this.beginDelivery(delivery, asOf, written)),
        release: (deliveryIds) => this.releaseUnbegun(deliveryIds),
      });
      if (queued > 0) {
        this.#queue.noteWaiting();
      }
      return routed;
    } catch (error) {
      // Retries do not wait for events that cannot be routed.
      this.#logger.error({ msg: 'routing failed; trying again', fault: faultOf(error) });
      return 0;
    } finally {
      room.end();
    }
  }

  /** Otherwise they would sit out their lease. */
  private releaseUnbegun(deliveryIds: string[]): void {
    const releasing: Promise<void> = this.retry
      .run('deliveries of a lost batch', () => releaseUnbegun(engineDatabase(this.em), deliveryIds, this.worker.id))
      .catch(() => undefined)
      .finally(() => this.#inFlight.delete(releasing));
    this.#inFlight.add(releasing);
  }

  private async drained(): Promise<void> {
    while (this.#inFlight.size > 0) {
      await Promise.all(this.#inFlight);
    }
  }

  private beginDelivery(delivery: ClaimedDelivery, asOf: number, written?: Promise<void>): Promise<void> {
    delivery.asOf = asOf;
    return this.trackInFlight(delivery, this.held.deliver(delivery, written));
  }

  private beginLane(lane: ClaimedLane, asOf: number): Promise<void> {
    lane.deliveries.forEach((delivery) => (delivery.asOf = asOf));
    return this.trackInFlight(lane, this.held.run(lane));
  }

  private trackInFlight(place: Place, work: Promise<boolean>): Promise<void> {
    this.#slots.hold(place);
    const noted = work.then((isReleased) => {
      if (isReleased) {
        this.#queue.noteWaiting();
      }
    });
    const running: Promise<void> = noted.finally(() => {
      this.#inFlight.delete(running);
      this.#lastEnd = performance.now();
      this.#slots.release(place);
      const hasRoom = this.#slots.free >= REFILL * this.config.concurrency || !this.#slots.isHeldBy(place.tenantId);
      if (this.#isBehind && hasRoom) {
        this.#isBehind = false;
        this.polling.lookAgain();
      }
    });
    this.#inFlight.add(running);
    return running;
  }

  /** The look under way takes too long, and no delivery has ended meanwhile. */
  private isStuck(): boolean {
    const { leaseMs, broadcastTimeoutMs } = this.config;
    const limitMs = Math.max(leaseMs, 2 * broadcastTimeoutMs);
    return this.polling.lookMs > limitMs && performance.now() - this.#lastEnd > limitMs;
  }

  private abandon(): void {
    this.#abandon.abort();
    this.held.abort();
    this.retry.stop();
    this.pulse.stop();
  }
}
