import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { EndpointChanges } from './endpoint-changes.js';
import { GivenBackError } from './given-back.error.js';

type Passing = Pick<ClaimedDelivery, 'endpointId' | 'maxInFlight' | 'asOf'>;

interface Waiting {
  endpointId: string;
  limit: number;
  enter: () => void;
  turnAway: (error: GivenBackError) => void;
}

/** Keeps the number of requests in flight within the limits, in all and per endpoint. Who waits enters in turn. */
@Injectable()
export class SendGate {
  readonly #inside = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #total = 0;

  constructor(
    private readonly config: EventBusConfig,
    private readonly changes: EndpointChanges,
  ) {}

  /** Turns away what is out of date, too: the endpoint may be disabled or somewhere else by now. */
  async pass<T>({ endpointId, maxInFlight, asOf }: Passing, send: () => Promise<T>): Promise<T> {
    await this.enter(endpointId, maxInFlight ?? this.config.perEndpointConcurrency);
    try {
      if (asOf !== undefined && this.changes.hasChanged(endpointId, asOf)) {
        throw new GivenBackError();
      }
      return await send();
    } finally {
      this.leave(endpointId);
    }
  }

  private enter(endpointId: string, limit: number): Promise<void> | undefined {
    if (this.hasRoom(endpointId, limit)) {
      this.count(endpointId, 1);
      return undefined;
    }
    return new Promise((enter, turnAway) => this.#waiting.push({ endpointId, limit, enter, turnAway }));
  }

  /** Turns away whoever waits, for this endpoint or for any: nothing of theirs was sent. */
  turnAway(endpointId?: string): void {
    const isMeant = (waiting: Waiting) => endpointId === undefined || waiting.endpointId === endpointId;
    const turnedAway = this.#waiting.filter(isMeant);
    const staying = this.#waiting.filter((waiting) => !isMeant(waiting));
    this.#waiting.splice(0, this.#waiting.length, ...staying);
    turnedAway.forEach((waiting) => waiting.turnAway(new GivenBackError()));
  }

  private leave(endpointId: string): void {
    this.count(endpointId, -1);
    const next = this.#waiting.findIndex((waiting) => this.hasRoom(waiting.endpointId, waiting.limit));
    if (next >= 0) {
      const [waiting] = this.#waiting.splice(next, 1);
      this.count(waiting!.endpointId, 1);
      waiting!.enter();
    }
  }

  private hasRoom(endpointId: string, limit: number): boolean {
    return this.#total < this.config.concurrency && (this.#inside.get(endpointId) ?? 0) < limit;
  }

  private count(endpointId: string, change: 1 | -1): void {
    this.#total += change;
    this.#inside.set(endpointId, (this.#inside.get(endpointId) ?? 0) + change);
    if (this.#inside.get(endpointId) === 0) {
      this.#inside.delete(endpointId);
    }
  }
}
