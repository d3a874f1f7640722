import { Injectable } from '@nestjs/common';
import { reserveOf } from '../dispatch/reserve-of.js';
import { EventBusConfig } from '../eventbus.config.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { DeliveryReleasedError } from './delivery-released.error.js';
import { Pulse } from './liveness/pulse.js';
import { EndpointVersions } from './endpoint-versions.js';
import { nextInLine, type InLine } from './claim/next-in-line.js';

/** The number of requests that left within this time predicts how many enter next. */
const RECENT_MS = 50;
/** Suspects of all tenants share one queue with its own turn: they do not wait behind deliveries fetched ahead. */
const SUSPECTS = 'suspects';

type Passing = Pick<ClaimedDelivery, 'deliveryId' | 'tenantId' | 'endpointId' | 'asOf' | 'isSuspect'> & {
  endpoint: Pick<ClaimedDelivery['endpoint'], 'maxInFlight'>;
};

interface Waiting extends InLine {
  tenantId: string;
  enter: () => void;
  turnAway: (error: DeliveryReleasedError) => void;
}

/**
 * Limits the requests in flight, in total and per endpoint. A reserve on top admits one request of each tenant that has
 * none in flight. Tenants enter in turn, the requests of one tenant in order of arrival.
 */
@Injectable()
export class SendGate {
  readonly #byEndpoint = new Map<string, number>();
  readonly #byTenant = new Map<string, number>();
  /** By tenant; the tenant that entered last is at the end. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** The last requests that left, at most `concurrency`. */
  readonly #left: { at: number; endpointId: string }[] = [];
  readonly #withReserve: number;
  #total = 0;

  constructor(
    private readonly config: EventBusConfig,
    private readonly versions: EndpointVersions,
    private readonly pulse: Pulse,
  ) {
    this.#withReserve = config.concurrency + reserveOf(config.concurrency);
  }

  /**
   * Turns away a delivery whose endpoint has changed since the claim: it may be disabled or have another URL. A worker
   * that others may have declared dead, because it was frozen or cannot reach the database, sends nothing before its
   * next heartbeat.
   */
  async enter(passing: Passing): Promise<void> {
    const { endpointId, asOf } = passing;
    await this.takePlace(passing);
    const isOurs = this.pulse.isFresh || (await this.pulse.untilFresh());
    if (!isOurs || (asOf !== undefined && this.versions.hasChanged(endpointId, asOf))) {
      this.leave(passing);
      throw new DeliveryReleasedError();
    }
  }

  leave(passing: Pick<Passing, 'tenantId' | 'endpointId'>): void {
    this.count(passing, -1);
    this.#left.push({ at: performance.now(), endpointId: passing.endpointId });
    if (this.#left.length > this.config.concurrency) {
      this.#left.shift();
    }
    // A tenant without requests in flight has room in the reserve, besides the request that takes the free place.
    while (this.#waiting.size > 0 && this.admitNext());
  }

  /** Waiting deliveries that are likely to enter soon: as many as left recently. */
  nextInLine(): string[] {
    const since = performance.now() - RECENT_MS;
    const recent = this.#left.filter(({ at }) => at >= since);
    const leftOf = new Map<string, number>();
    recent.forEach(({ endpointId }) => add(leftOf, endpointId, 1));
    return nextInLine([...this.#waiting.values()], recent.length, ({ endpointId, limit }) => {
      const free = limit - (this.#byEndpoint.get(endpointId) ?? 0);
      return Math.max(0, free) + (leftOf.get(endpointId) ?? 0);
    });
  }

  /** Turns away the waiting requests to this endpoint, or all of them. */
  turnAway(endpointId?: string): void {
    const isMeant = (waiting: Waiting) => endpointId === undefined || waiting.endpointId === endpointId;
    for (const [key, queue] of [...this.#waiting]) {
      this.keepWaiting(
        key,
        queue.filter((waiting) => !isMeant(waiting)),
      );
      queue.filter(isMeant).forEach((waiting) => waiting.turnAway(new DeliveryReleasedError()));
    }
  }

  private takePlace({ deliveryId, tenantId, endpointId, endpoint, isSuspect }: Passing): Promise<void> | undefined {
    const limit = endpoint.maxInFlight ?? this.config.perEndpointConcurrency;
    if (this.hasRoom({ tenantId, endpointId, limit })) {
      this.count({ tenantId, endpointId }, 1);
      return undefined;
    }
    return new Promise((enter, turnAway) => {
      const key = isSuspect ? SUSPECTS : tenantId;
      const queue = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, queue);
      queue.push({ deliveryId, tenantId, endpointId, limit, enter, turnAway });
    });
  }

  private admitNext(): boolean {
    for (const [key, queue] of this.#waiting) {
      const next = queue.findIndex((waiting) => this.hasRoom(waiting));
      if (next >= 0) {
        const [waiting] = queue.splice(next, 1);
        this.keepWaiting(key, queue);
        this.count(waiting!, 1);
        waiting!.enter();
        return true;
      }
    }
    return false;
  }

  private keepWaiting(key: string, queue: Waiting[]): void {
    this.#waiting.delete(key);
    if (queue.length > 0) {
      this.#waiting.set(key, queue);
    }
  }

  private hasRoom({ tenantId, endpointId, limit }: Pick<Waiting, 'tenantId' | 'endpointId' | 'limit'>): boolean {
    const most = this.#byTenant.has(tenantId) ? this.config.concurrency : this.#withReserve;
    return this.#total < most && (this.#byEndpoint.get(endpointId) ?? 0) < limit;
  }

  private count({ tenantId, endpointId }: Pick<Waiting, 'tenantId' | 'endpointId'>, change: 1 | -1): void {
    this.#total += change;
    add(this.#byTenant, tenantId, change);
    add(this.#byEndpoint, endpointId, change);
  }
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) {
    counts.delete(key);
  } else {
    counts.set(key, count);
  }
}
