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
  /** Null: its type asks for no order. */
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

/** A delivery in the hands of a worker, from the claim until the lease is given up or lost. */
export interface Hold extends HoldKey {
  delivery: ModelDelivery;
  leaseUntilMs: number;
  /** Of its worker at its leases since it was claimed: the first prolongs nothing. */
  looks: number;
  /** A request of it is on its way. */
  isSent: boolean;
  /** Its worker heard of a change of the endpoint, or that others took it for dead. */
  isOutdated: boolean;
  /** Its outcome has to be refused: somebody else ended or took it. `expired`: without the worker being able to know. */
  lostBy?: 'rescue' | 'deletion' | 'expired';
  isOver: boolean;
}

export interface ModelWorker {
  id: string;
  isFrozen: boolean;
  /** It was frozen since its last heartbeat. */
  wasFrozen: boolean;
  lastBeatMs: number;
  waiting: number;
  sent: number;
}

/** What the engine has to make of the commands so far. */
export class Model {
  readonly events = new Map<string, ModelEvent>();
  readonly deliveries = new Map<string, ModelDelivery>();
  readonly holds: Hold[] = [];
  /** By worker: what it sent at any time. */
  readonly sentBy = new Map<string, Set<string>>();
  /** Of processes that beat once and were neither stopped nor rescued. */
  readonly lastBeats = new Map<string, number>();
  /** By tenant and stream. */
  readonly #sequences = new Map<string, number>();

  constructor(
    readonly time: ModelTime,
    readonly endpoints: readonly ModelEndpoint[],
    readonly workers: ModelWorker[],
    private readonly tally = new Map<string, number>(),
  ) {}

  /** Counts how often something came up. */
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

  /** Who gets the event if it is routed now. */
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

  /** The lease under which an outcome of this delivery is taken. */
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
