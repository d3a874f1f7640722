import { Injectable, Logger } from '@nestjs/common';
import { faultOf } from '@kernel/runtime';
import { Pulse } from './liveness/pulse.js';
import { runInTrace } from '../trace/trace-context.js';
import { WakeUp, type EndpointChange } from '../runtime/wake-up.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { EndpointSignals, type Flight } from './endpoint-signals.js';
import { EndpointVersions } from './endpoint-versions.js';
import { LaneRun } from './lane-run.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { ClaimedLane } from '../deliveries/claims.sql.js';
import { SendGate } from './send-gate.js';

/**
 * The deliveries and lanes that this worker holds: their leases are renewed, and changes of their endpoints reach them.
 */
@Injectable()
export class HeldWork {
  readonly #logger = new Logger(HeldWork.name);
  readonly #signals = new EndpointSignals();
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly attempt: DeliveryAttempt,
    private readonly laneRun: LaneRun,
    private readonly leases: LeaseKeeper,
    private readonly versions: EndpointVersions,
    private readonly gate: SendGate,
    private readonly pulse: Pulse,
    private readonly wakeUp: WakeUp,
  ) {}

  listen(): void {
    this.pulse.onLost(() => this.drop());
    this.#unsubscribe = this.wakeUp.onEndpointChanged((change) => this.hearChange(change));
  }

  stopListening(): void {
    this.#unsubscribe();
  }

  /**
   * Never rejects. True if it was released, so that it is to be claimed again. `written`: resolves after the write of
   * the delivery's row, whatever its result.
   */
  async deliver(delivery: ClaimedDelivery, written?: Promise<void>): Promise<boolean> {
    const lease = this.leases.hold('delivery', delivery.deliveryId, delivery.leaseEpoch);
    try {
      return await runInTrace(delivery, () => this.attempt.deliver(delivery, this.#signals, written));
    } finally {
      this.leases.drop(lease);
    }
  }

  /** The same for a lane. */
  async run(lane: ClaimedLane): Promise<boolean> {
    const lease = this.leases.hold('lane', lane.laneId, lane.laneEpoch);
    try {
      return await this.runLane(lane);
    } finally {
      this.leases.drop(lease);
    }
  }

  /** Work in progress by endpoint, with the version of the endpoint's row at its claim. */
  get flights(): Flight[] {
    return this.#signals.flights;
  }

  /** Releases the deliveries that wait for a changed endpoint or are being claimed for it: they are claimed anew. */
  hearChange(change: EndpointChange): void {
    this.versions.note(change.endpointId);
    this.gate.turnAway(change.endpointId);
    this.#signals.hear(change);
  }

  /**
   * The leases of this worker were freed by others. Requests in flight end, and their outcomes are refused by their
   * epoch.
   */
  drop(): void {
    this.#logger.warn({ msg: 'this worker was taken for dead; it drops what it holds and goes on' });
    this.versions.noteAll();
    this.gate.turnAway();
  }

  /** Aborts all requests in flight and all that begin from now on. */
  abort(): void {
    this.#signals.stop();
  }

  private async runLane(lane: ClaimedLane): Promise<boolean> {
    try {
      // An empty lane sends nothing, so its version does not matter.
      const version = lane.deliveries[0]?.endpoint.version ?? '';
      return await this.#signals.during(lane.endpointId, version, (signal) => this.laneRun.perform(lane, signal));
    } catch (error) {
      this.#logger.error({ msg: 'lane was not recorded', laneId: lane.laneId, fault: faultOf(error) });
      return false;
    }
  }
}
