import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { engineDatabase } from '../runtime/engine-database.js';
import { runWithTrace } from '../runtime/trace-context.js';
import { TransientRetry } from '../runtime/transient-retry.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';

import type { ClaimedDelivery } from './claimed-delivery.js';
import { DeliveryReleasedError } from './delivery-released.error.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { InFlightList } from './in-flight-list.js';
import type { ClaimedLane } from './lease-lanes.sql.js';
import { releaseLane } from './release-lane.sql.js';
import { parkLane } from './park-lane.sql.js';
import { restLane } from './rest-lane.sql.js';
import type { LaneRelease, Settlement } from './settlement.js';
import { SettlementRecorder } from './settlement-recorder.js';

/** Sends a lane's deliveries one after the other: the next goes out only when the one before it is settled and recorded. */
@Injectable()
export class LaneRun {
  constructor(
    private readonly em: EntityManager,
    private readonly attempt: DeliveryAttempt,
    private readonly recorder: SettlementRecorder,
    private readonly inFlight: InFlightList,
    private readonly worker: WorkerIdentity,
    private readonly retry: TransientRetry,
  ) {}

  /** True when it was released before its end, so that it is to be claimed again. */
  async perform(lane: ClaimedLane, signal: AbortSignal): Promise<boolean> {
    const [head] = lane.deliveries;
    if (!head) {
      await this.write('empty lane', restLane, lane);
      return false;
    }
    if (!head.isEnabled && !head.isDeleted) {
      await this.write('parked lane', parkLane, lane);
      return false;
    }
    try {
      await this.deliverAll(lane, signal);
      return false;
    } catch (error) {
      if (!(error instanceof DeliveryReleasedError)) {
        throw error;
      }
      await this.write('released lane', releaseLane, lane);
      await this.recorder.noteAborted(error);
      return true;
    }
  }

  private async deliverAll(lane: ClaimedLane, signal: AbortSignal): Promise<void> {
    for (const delivery of lane.deliveries) {
      const goesOn = await runWithTrace(delivery.traceId, () => this.deliver(lane, delivery, signal)).finally(() =>
        this.inFlight.end(delivery.deliveryId),
      );
      if (!goesOn) {
        return;
      }
    }
  }

  /** True when the next one may go out. Where a settlement was refused, somebody else had a hand in it: stop and look anew. */
  private async deliver(lane: ClaimedLane, delivery: ClaimedDelivery, signal: AbortSignal): Promise<boolean> {
    const settlement = await this.attempt.perform(delivery, signal);
    const laneRelease = releaseAfter(lane, delivery, settlement);
    if (!(await this.recorder.record({ ...settlement, laneRelease }, { isAwaited: !laneRelease }))) {
      await this.write('released lane', releaseLane, lane);
      return false;
    }
    await this.attempt.noteRecorded(settlement);
    return !laneRelease;
  }

  private write(what: string, write: typeof releaseLane, lane: ClaimedLane): Promise<void> {
    return this.retry.run(what, () => write(engineDatabase(this.em), lane, this.worker.id));
  }
}

/** Undefined: the lane goes on with its next delivery. */
function releaseAfter(lane: ClaimedLane, delivery: ClaimedDelivery, settlement: Settlement): LaneRelease | undefined {
  const { laneId, laneEpoch, wakeCount } = lane;
  const release = (then: LaneRelease['then']) => ({ laneId, laneEpoch, wakeCount, then });
  if (settlement.nextDelayMs !== null) {
    return release('wait');
  }
  if (settlement.status === 'DLQ' && delivery.onDeadLetter === 'block') {
    return release('block');
  }
  if (delivery === lane.deliveries.at(-1)) {
    return release(lane.isCut ? 'go-on' : 'rest');
  }
  return undefined;
}
