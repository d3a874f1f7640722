import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf } from '../runtime/fault.js';
import { runWithTrace } from '../runtime/trace-context.js';
import { TransientRetry } from '../runtime/transient-retry.js';
import type { EndpointChange } from '../runtime/wake-up.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { DeliveryReleasedError } from './delivery-released.error.js';
import { EndpointChanges } from './endpoint-changes.js';
import { EndpointSignals, type Flight } from './endpoint-signals.js';
import { InFlightList } from './in-flight-list.js';
import { LaneRun } from './lane-run.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { ClaimedLane } from './lease-lanes.sql.js';
import { parkDelivery } from './park-delivery.sql.js';
import { releaseDelivery } from './release-delivery.sql.js';
import { SendGate } from './send-gate.js';
import { SettlementRecorder } from './settlement-recorder.js';

/** Carries what this worker holds from its claim to the recorded outcome, or back to the queue. */
@Injectable()
export class HeldWork {
  readonly #logger = new Logger(HeldWork.name);
  readonly #signals = new EndpointSignals();

  constructor(
    private readonly em: EntityManager,
    private readonly worker: WorkerIdentity,
    private readonly attempt: DeliveryAttempt,
    private readonly laneRun: LaneRun,
    private readonly recorder: SettlementRecorder,
    private readonly gate: SendGate,
    private readonly inFlight: InFlightList,
    private readonly leases: LeaseKeeper,
    private readonly changes: EndpointChanges,
    private readonly retry: TransientRetry,
  ) {}

  /** Never rejects. True when it was released, so that it is to be claimed again. `written`: the promise of the delivery's row. */
  deliver(delivery: ClaimedDelivery, written?: Promise<void>): Promise<boolean> {
    const { deliveryId, leaseEpoch, traceId } = delivery;
    return this.leases.during('delivery', deliveryId, leaseEpoch, () =>
      runWithTrace(traceId, () => this.attemptAndRecord(delivery, written)),
    );
  }

  /** The same for a lane. */
  run(lane: ClaimedLane): Promise<boolean> {
    return this.leases.during('lane', lane.laneId, lane.laneEpoch, () => this.runAndRecord(lane));
  }

  /** What is held, by endpoint and the version of the endpoint's row that it was taken with. */
  get flights(): Flight[] {
    return this.#signals.flights;
  }

  /** Deliveries that wait for a changed endpoint, or are on their way here, are claimed anew, as the endpoint is now. */
  hearChange(change: EndpointChange): void {
    this.changes.note(change.endpointId);
    this.gate.turnAway(change.endpointId);
    this.#signals.hear(change);
  }

  /** Others have freed what this worker held. What is in flight ends, and its outcome is refused by its lease's epoch. */
  drop(): void {
    this.#logger.warn({ msg: 'this worker was taken for dead; it drops what it holds and goes on' });
    this.changes.noteAll();
    this.gate.turnAway();
  }

  /** Aborts what is in flight and what begins from now on. */
  abort(): void {
    this.#signals.stop();
  }

  private async attemptAndRecord(delivery: ClaimedDelivery, written?: Promise<void>): Promise<boolean> {
    try {
      if (!delivery.isEnabled && !delivery.isDeleted) {
        await this.retry.run('parked delivery', () => parkDelivery(engineDatabase(this.em), delivery, this.worker.id));
        return false;
      }
      const settlement = await this.#signals.during(delivery.endpointId, delivery.endpointVersion, (signal) =>
        this.attempt.perform(delivery, signal, written),
      );
      if (await this.recorder.record(settlement)) {
        await this.attempt.noteRecorded(settlement);
      }
    } catch (error) {
      if (error instanceof DeliveryReleasedError) {
        await this.retry
          .run('released delivery', () => releaseDelivery(engineDatabase(this.em), delivery, this.worker.id))
          .catch(() => undefined);
        await this.recorder.noteAborted(error);
        return true;
      }
      // Nothing is recorded, so the lease runs out and the delivery is tried again with the same id.
      this.#logger.error({ msg: 'delivery was not recorded', deliveryId: delivery.deliveryId, fault: faultOf(error) });
    } finally {
      this.inFlight.end(delivery.deliveryId);
    }
    return false;
  }

  private async runAndRecord(lane: ClaimedLane): Promise<boolean> {
    try {
      // An empty lane sends nothing, so its version does not matter.
      const version = lane.deliveries[0]?.endpointVersion ?? '';
      return await this.#signals.during(lane.endpointId, version, (signal) => this.laneRun.perform(lane, signal));
    } catch (error) {
      this.#logger.error({ msg: 'lane was not recorded', laneId: lane.laneId, fault: faultOf(error) });
      return false;
    }
  }
}
