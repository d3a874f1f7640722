import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { runWithTrace } from '../runtime/trace-context.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';

import type { ClaimedDelivery } from './claimed-delivery.js';
import { GivenBackError } from './given-back.error.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import type { ClaimedLane } from './lease-lanes.sql.js';
import { letGoOfLane } from './let-go-of-lane.sql.js';
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
    private readonly worker: WorkerIdentity,
  ) {}

  /** True when it was let go before its time, so that somebody should look for it again. */
  async perform(lane: ClaimedLane, signal: AbortSignal): Promise<boolean> {
    const [head] = lane.deliveries;
    if (!head) {
      await restLane(this.em.fork().getKysely(), lane, this.worker.id);
      return false;
    }
    if (!head.isEnabled && !head.isDeleted) {
      await parkLane(this.em.fork().getKysely(), lane, this.worker.id);
      return false;
    }
    try {
      await this.deliverAll(lane, signal);
      return false;
    } catch (error) {
      if (!(error instanceof GivenBackError)) {
        throw error;
      }
      await letGoOfLane(this.em.fork().getKysely(), lane, this.worker.id);
      return true;
    }
  }

  private async deliverAll(lane: ClaimedLane, signal: AbortSignal): Promise<void> {
    for (const delivery of lane.deliveries) {
      const goesOn = await runWithTrace(delivery.traceId, () => this.deliver(lane, delivery, signal));
      if (!goesOn) {
        return;
      }
    }
  }

  /** True when the next one may go out. Where a settlement was refused, somebody else had a hand in it: stop and look anew. */
  private async deliver(lane: ClaimedLane, delivery: ClaimedDelivery, signal: AbortSignal): Promise<boolean> {
    const settlement = await this.attempt.perform(delivery, signal);
    if (signal.aborted) {
      return false;
    }
    const laneRelease = releaseAfter(lane, delivery, settlement);
    if (!(await this.recorder.record({ ...settlement, laneRelease }, { isAwaited: !laneRelease }))) {
      await letGoOfLane(this.em.fork().getKysely(), lane, this.worker.id);
      return false;
    }
    return !laneRelease;
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
