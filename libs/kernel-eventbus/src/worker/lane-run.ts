import { Injectable } from '@nestjs/common';
import { runInTrace } from '../trace/trace-context.js';
import type { AttemptRecord, LaneRelease } from '../deliveries/attempt-record.js';
import { AttemptRecorder } from './attempt-recorder.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { DeliveryReleasedError } from './delivery-released.error.js';
import { InFlightList } from './in-flight-list.js';
import type { ClaimedLane } from '../deliveries/claims.sql.js';
import { LeaseReleaser } from './lease-releaser.js';

/** Sends a lane's deliveries one at a time: the next goes out only after the outcome before it is recorded. */
@Injectable()
export class LaneRun {
  constructor(
    private readonly attempt: DeliveryAttempt,
    private readonly recorder: AttemptRecorder,
    private readonly inFlight: InFlightList,
    private readonly leases: LeaseReleaser,
  ) {}

  /** True if it was released before its end, so that it is to be claimed again. */
  async perform(lane: ClaimedLane, signal: AbortSignal): Promise<boolean> {
    const [head] = lane.deliveries;
    if (!head) {
      await this.leases.releaseEmptyLane(lane);
      return false;
    }
    if (!head.endpoint.isEnabled && !head.endpoint.isDeleted) {
      await this.leases.parkLane(lane);
      return false;
    }
    try {
      await this.deliverAll(lane, signal);
      return false;
    } catch (error) {
      if (!(error instanceof DeliveryReleasedError)) {
        throw error;
      }
      await this.leases.releaseLane(lane);
      await this.recorder.noteAborted(error);
      return true;
    }
  }

  private async deliverAll(lane: ClaimedLane, signal: AbortSignal): Promise<void> {
    for (const delivery of lane.deliveries) {
      const goesOn = await runInTrace(delivery, () => this.deliver(lane, delivery, signal)).finally(() =>
        this.inFlight.end(delivery.deliveryId),
      );
      if (!goesOn) {
        return;
      }
    }
  }

  /**
   * True if the next one may go out. A refused record means that another process changed the delivery: the lane is
   * released.
   */
  private async deliver(lane: ClaimedLane, delivery: ClaimedDelivery, signal: AbortSignal): Promise<boolean> {
    const record = await this.attempt.perform(delivery, signal);
    const laneRelease = releaseAfter(lane, delivery, record);
    if (!(await this.attempt.record({ ...record, laneRelease }, { isAwaited: !laneRelease }))) {
      await this.leases.releaseLane(lane);
      return false;
    }
    return !laneRelease;
  }
}

/** Undefined: the lane goes on with its next delivery. */
function releaseAfter(lane: ClaimedLane, delivery: ClaimedDelivery, record: AttemptRecord): LaneRelease | undefined {
  const { laneId, laneEpoch, wakeCount } = lane;
  const release = (then: LaneRelease['then']) => ({ laneId, laneEpoch, wakeCount, then });
  if (record.nextDelayMs !== null) {
    return release('wait');
  }
  if (record.status === 'DLQ' && delivery.endpoint.onDeadLetter === 'block') {
    return release('block');
  }
  if (delivery === lane.deliveries.at(-1)) {
    return release(lane.isCut ? 'go-on' : 'rest');
  }
  return undefined;
}
