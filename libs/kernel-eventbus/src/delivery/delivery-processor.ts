import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ActivityRecorder } from '../activity/activity-recorder.js';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import type { BeginSending, Writing } from '../routing/plain-fan-out.js';
import { Router } from '../routing/router.js';
import { AdaptivePolling } from '../runtime/adaptive-polling.js';
import { Heartbeat } from '../runtime/heartbeat.js';
import { runWithTrace } from '../runtime/trace-context.js';
import { WakeUp } from '../runtime/wake-up.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { LaneRun } from './lane-run.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { ClaimedLane } from './lease-lanes.sql.js';
import { giveBackDelivery } from './give-back-delivery.sql.js';
import { EndpointChanges } from './endpoint-changes.js';
import { GivenBackError } from './given-back.error.js';
import { parkDelivery } from './park-delivery.sql.js';
import { QueueClaims } from './queue-claims.js';
import { releaseLeases } from './release-leases.sql.js';
import { SendGate } from './send-gate.js';
import { SettlementRecorder } from './settlement-recorder.js';
import { Slots } from './slots.js';
import { Suspects } from './suspects.js';

/** Deliveries held for each one in flight: what is fetched ahead is sent while the next is being fetched. */
const PREFETCH = 8;

/** How many times `concurrency` have to be free before a full worker looks for more: small batches cost nearly as much as large ones. */
const REFILL = 2;

/** How many batches may be unwritten when another is begun: each holds a connection. */
const MOST_UNWRITTEN = 3;

/** The worker: looks for work when nudged and at the scheduled times, and keeps up to `concurrency` deliveries in flight. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(DeliveryProcessor.name);
  readonly #inFlight = new Set<Promise<void>>();
  /** Batches that are not written yet. */
  readonly #unwritten = new Set<Promise<void>>();
  readonly #abandon = new AbortController();
  readonly #slots: Slots;
  readonly #queue: QueueClaims;
  /** The last look stopped because the places were taken, not because there was nothing left. */
  #isBehind = false;
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly router: Router,
    private readonly attempt: DeliveryAttempt,
    private readonly laneRun: LaneRun,
    private readonly recorder: SettlementRecorder,
    private readonly gate: SendGate,
    private readonly suspects: Suspects,
    private readonly heartbeat: Heartbeat,
    private readonly leases: LeaseKeeper,
    private readonly worker: WorkerIdentity,
    private readonly polling: AdaptivePolling,
    private readonly wakeUp: WakeUp,
    private readonly changes: EndpointChanges,
    private readonly activity: ActivityRecorder,
  ) {
    this.#slots = new Slots({
      total: config.concurrency,
      perEndpoint: config.perEndpointConcurrency,
      prefetch: PREFETCH,
    });
    this.#queue = new QueueClaims(em, config, worker, wakeUp, this.#slots, {
      delivery: (delivery, asOf) => this.beginDelivery(delivery, asOf),
      lane: (lane, asOf) => this.beginLane(lane, asOf),
      countChanges: () => changes.count,
      lookAgain: () => polling.lookAgain(),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role !== 'api') {
      await this.heartbeat.start();
      this.leases.start();
      this.#unsubscribe = this.wakeUp.onEndpointChanged((endpointId) => this.turnAwayChanged(endpointId));
      this.polling.start('kernel-eventbus-delivery', () => this.look());
    }
  }

  /** Stops claiming, waits for what is in flight, and gives back the rest without using up an attempt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#queue.close();
    // Before the look under way is waited for: it may be waiting itself, for middleware or for what is in flight.
    const deadline = setTimeout(() => this.#abandon.abort(), this.config.shutdownTimeoutMs);
    await this.polling.stop();
    await this.#queue.settled();
    this.#unsubscribe();
    await this.nothingInHand();
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
      await releaseLeases(this.em.fork().getKysely(), this.worker.id);
    } finally {
      await this.heartbeat.stop();
    }
  }

  /** Routes and claims once. True when there may be more to do at once. */
  private async look(): Promise<boolean> {
    if (await this.suspects.wait()) {
      await this.#queue.settled();
      this.gate.turnAway();
      await this.nothingInHand();
      await this.suspects.runAlone({
        delivery: (delivery) => this.deliver(delivery),
        lane: (lane) => this.run(lane),
      });
    }
    // Where both have something to do, each has half of the places, one at least, and neither waits for the other.
    const { free } = this.#slots;
    const share = this.#queue.isDue ? Math.ceil(free / 2) : free;
    const claiming = this.#queue.claimIfDue(share);
    claiming.catch(() => undefined);
    const routed = await this.routeAll(share);
    const hasClaimed = await claiming;
    this.#isBehind = this.#slots.free <= 0;
    return !this.#isBehind && (routed > 0 || hasClaimed);
  }

  /**
   * Takes as many events as there is room for, so that their deliveries need not be claimed again. While events wait, two
   * batches are under way at a time: a worker that is busy sending is slow to answer, and one batch would wait most of the time.
   */
  private async routeAll(free: number): Promise<number> {
    if (free <= 0 || this.#unwritten.size >= MOST_UNWRITTEN) {
      return 0;
    }
    const batches = this.router.hasBacklog && free >= 2 * REFILL * this.config.concurrency ? 2 : 1;
    const limit = Math.min(Math.ceil(free / batches), this.config.routingBatchSize);
    const routed = await Promise.all(
      Array.from({ length: batches }, () => this.route(limit).catch((error: unknown) => this.cannotRoute(error))),
    );
    return routed.reduce((sum, count) => sum + count);
  }

  private async route(limit: number): Promise<number> {
    const room = this.#slots.reserve(limit);
    const asOf = this.changes.count;
    try {
      const begin: BeginSending = (deliveries, writing) => {
        room.end();
        deliveries.forEach((delivery) => this.beginDelivery(delivery, asOf, writing));
      };
      const { routed, queued, written } = await this.router.routeBatch(room, limit, this.#abandon.signal, begin);
      if (written) {
        this.follow(written);
      }
      if (queued > 0) {
        this.#queue.noteWaiting();
      }
      return routed;
    } finally {
      room.end();
    }
  }

  /** Some of a batch is begun only when it is written. */
  private async nothingInHand(): Promise<void> {
    while (this.#inFlight.size + this.#unwritten.size > 0) {
      await Promise.all([...this.#inFlight, ...this.#unwritten]);
    }
  }

  /** A batch that is written when its deliveries are sent; the next one is routed meanwhile. */
  private follow(written: Promise<void>): void {
    const following: Promise<void> = written
      .catch((error: unknown) => void this.cannotRoute(error))
      .finally(() => {
        this.#unwritten.delete(following);
        this.polling.lookAgain();
      });
    this.#unwritten.add(following);
  }

  /** Retries do not wait for what cannot be routed. */
  private cannotRoute(error: unknown): number {
    this.#logger.error({ msg: 'routing failed; trying again', fault: faultOf(error) });
    return 0;
  }

  private beginDelivery(delivery: ClaimedDelivery, asOf: number, writing?: Writing): void {
    delivery.asOf = asOf;
    this.begin(delivery.endpointId, this.deliver(delivery, writing));
  }

  private beginLane(lane: ClaimedLane, asOf: number): void {
    lane.deliveries.forEach((delivery) => (delivery.asOf = asOf));
    this.begin(lane.endpointId, this.run(lane));
  }

  private begin(endpointId: string, work: Promise<void>): void {
    this.#slots.hold(endpointId);
    const running: Promise<void> = work.finally(() => {
      this.#inFlight.delete(running);
      this.#slots.release(endpointId);
      if (this.#isBehind && this.#slots.free >= REFILL * this.config.concurrency) {
        this.#isBehind = false;
        this.polling.lookAgain();
      }
    });
    this.#inFlight.add(running);
  }

  /** What waits for the endpoint, or is on its way here, is taken anew, as the endpoint is now. */
  private turnAwayChanged(endpointId: string): void {
    this.changes.note(endpointId);
    this.gate.turnAway(endpointId);
  }

  private deliver(delivery: ClaimedDelivery, writing?: Writing): Promise<void> {
    const { deliveryId, leaseEpoch, traceId } = delivery;
    return this.leases.during('delivery', deliveryId, leaseEpoch, () =>
      runWithTrace(traceId, () => this.attemptAndRecord(delivery, writing)),
    );
  }

  private async attemptAndRecord(
    delivery: ClaimedDelivery,
    { written, outcomes }: Partial<Writing> = {},
  ): Promise<void> {
    try {
      if (!delivery.isEnabled && !delivery.isDeleted) {
        await parkDelivery(this.em.fork().getKysely(), delivery, this.worker.id);
        return;
      }
      const { signal } = this.#abandon;
      const settlement = await this.attempt.perform(delivery, signal, outcomes ? undefined : written);
      if (signal.aborted) {
        await outcomes?.giveUp(delivery);
      } else if (!(await outcomes?.take(settlement))) {
        await this.recorder.record(settlement);
      }
    } catch (error) {
      await outcomes?.giveUp(delivery);
      if (error instanceof GivenBackError) {
        await giveBackDelivery(this.em.fork().getKysely(), delivery, this.worker.id).catch(() => undefined);
        this.#queue.noteWaiting();
        return;
      }
      // Nothing is recorded, so the lease runs out and the delivery is tried again with the same id.
      this.#logger.error({ msg: 'delivery was not recorded', deliveryId: delivery.deliveryId, fault: faultOf(error) });
    }
  }

  private run(lane: ClaimedLane): Promise<void> {
    return this.leases.during('lane', lane.laneId, lane.laneEpoch, () => this.runAndRecord(lane));
  }

  private async runAndRecord(lane: ClaimedLane): Promise<void> {
    try {
      if (await this.laneRun.perform(lane, this.#abandon.signal)) {
        this.#queue.noteWaiting();
      }
    } catch (error) {
      this.#logger.error({ msg: 'lane was not recorded', laneId: lane.laneId, fault: faultOf(error) });
    }
  }
}
