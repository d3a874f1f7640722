import type { DeliveryStatus } from '../../src/deliveries/webhook-delivery.js';
import type { HoldKey } from './journal.js';
import { TIMES, type ModelTime } from './model-time.js';

export interface ModelEndpoint {
  endpointId: string;
  tenantId: string;
  types: readonly string[];
  isOrdered: boolean;
  isEnabled: boolean;
  isDeleted: boolean;
}

export interface ModelEvent {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  /** Null if its type is unordered. */
  sequence: number | null;
  isRouted: boolean;
}

export interface ModelDelivery {
  deliveryId: string;
  event: ModelEvent;
  endpoint: ModelEndpoint;
  laneId: string | null;
  previousSequence: number | null;
  status: DeliveryStatus;
  attempts: number;
  replays: number;
  timesDelivered: number;
  isSuspect: boolean;
}

/** A delivery held by a worker, from its claim until the lease is released or lost. */
export interface Hold extends HoldKey {
  delivery: ModelDelivery;
  leaseUntilMs: number;
  /** Number of lease checks by its worker since the claim. The first one renews nothing. */
  looks: number;
  /** A request is in flight. */
  isSent: boolean;
  /** Its worker knows of a change of the endpoint, or that it was presumed dead. */
  isOutdated: boolean;
  /**
   * Its outcome must be refused, because it was finished or taken by another process. `expired`: the worker cannot
   * know.
   */
  lostBy?: 'rescue' | 'deletion' | 'expired';
  isOver: boolean;
}

export interface ModelWorker {
  id: string;
  isFrozen: boolean;
  /** True if it was frozen since its last heartbeat. */
  wasFrozen: boolean;
  lastBeatMs: number;
  waiting: number;
  sent: number;
}

/** The expected state of the engine after the commands so far. */
export class Model {
  readonly events = new Map<string, ModelEvent>();
  readonly deliveries = new Map<string, ModelDelivery>();
  readonly holds: Hold[] = [];
  /** Ids of all deliveries that a worker ever sent, by worker. */
  readonly sentBy = new Map<string, Set<string>>();
  /** Last heartbeats of processes that were neither stopped nor rescued. */
  readonly lastBeats = new Map<string, number>();
  /** By tenant and stream. */
  readonly #sequences = new Map<string, number>();

  constructor(
    readonly time: ModelTime,
    readonly endpoints: readonly ModelEndpoint[],
    readonly workers: ModelWorker[],
    private readonly tally = new Map<string, number>(),
  ) {}

  /** Counts a situation. */
  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  commit(event: Omit<ModelEvent, 'sequence' | 'isRouted'>, isNumbered: boolean): void {
    const stream = `${event.tenantId} ${event.streamKey}`;
    const sequence = isNumbered ? (this.#sequences.get(stream) ?? 0) + 1 : null;
    if (sequence !== null) {
      this.#sequences.set(stream, sequence);
    }
    this.events.set(event.eventId, { ...event, sequence, isRouted: false });
  }

  /** Endpoints that would get the event now. */
  subscribersOf({ tenantId, type }: ModelEvent): ModelEndpoint[] {
    return this.endpoints.filter(
      (endpoint) =>
        endpoint.tenantId === tenantId && endpoint.types.includes(type) && endpoint.isEnabled && !endpoint.isDeleted,
    );
  }

  /** Deliveries of the same stream to the same ordered endpoint. */
  laneOf({ event, endpoint }: Pick<ModelDelivery, 'event' | 'endpoint'>): ModelDelivery[] {
    return [...this.deliveries.values()].filter(
      (other) => other.endpoint === endpoint && other.event.streamKey === event.streamKey && other.laneId !== null,
    );
  }

  /** The hold whose outcome would be accepted. */
  holdOf(deliveryId: string): Hold | undefined {
    return this.holds.find((hold) => hold.deliveryId === deliveryId && !hold.isOver && !hold.lostBy);
  }

  findHold({ workerId, deliveryId, leaseEpoch }: HoldKey): Hold | undefined {
    return this.holds.find(
      (hold) => hold.workerId === workerId && hold.deliveryId === deliveryId && hold.leaseEpoch === leaseEpoch,
    );
  }

  heldBy(workerId: string): Hold[] {
    return this.holds.filter((hold) => hold.workerId === workerId && !hold.isOver && !hold.lostBy);
  }

  hold(key: HoldKey, delivery: ModelDelivery): Hold {
    const hold: Hold = {
      ...{ workerId: key.workerId, deliveryId: key.deliveryId, leaseEpoch: key.leaseEpoch, delivery },
      leaseUntilMs: this.time.nowMs + TIMES.leaseMs,
      ...{ looks: 0, isSent: false, isOutdated: false, isOver: false },
    };
    this.holds.push(hold);
    return hold;
  }

  get silentWorkerIds(): string[] {
    const limit = this.time.nowMs - TIMES.silentMs;
    return [...this.lastBeats].filter(([, beatAtMs]) => beatAtMs < limit).map(([workerId]) => workerId);
  }
}
