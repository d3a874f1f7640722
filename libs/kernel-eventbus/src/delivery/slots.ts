/** How many more deliveries a worker may take, in all and per endpoint. */
export interface Room {
  /** How many in all. */
  readonly places: number;
  readonly limits: SlotLimits;
  /** Among how many at once what is free for an endpoint is shared out, evenly. */
  readonly shares: number;
  /** What is held already, per endpoint. */
  held(): HeldPlaces;
  /** Takes a place for a delivery to this endpoint, if there is one. */
  take(endpoint: { endpointId: string; maxInFlight: number | null }): boolean;
}

export interface HeldPlaces {
  endpointIds: string[];
  counts: number[];
}

export interface Reservation extends Room {
  end(): void;
}

/** The limits of what is in flight. */
export interface SlotLimits {
  total: number;
  /** For an endpoint without a limit of its own. */
  perEndpoint: number;
  /** How many times its limit a worker may hold for an endpoint: what waits behind what is in flight. */
  prefetch: number;
}

/** Counts what a worker holds: in flight and fetched ahead. One slow endpoint can never take all the places. */
export class Slots {
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(readonly limits: SlotLimits) {}

  get free(): number {
    return this.limits.total * this.limits.prefetch - this.#total;
  }

  hold(endpointId: string): void {
    this.#held.set(endpointId, (this.#held.get(endpointId) ?? 0) + 1);
    this.#total++;
  }

  release(endpointId: string): void {
    const held = (this.#held.get(endpointId) ?? 1) - 1;
    if (held > 0) {
      this.#held.set(endpointId, held);
    } else {
      this.#held.delete(endpointId);
    }
    this.#total--;
  }

  /** Endpoints that this worker holds deliveries for, with their number: a claim leaves room for them. */
  held(): HeldPlaces {
    return { endpointIds: [...this.#held.keys()], counts: [...this.#held.values()] };
  }

  /**
   * Up to so many places, taken for the time that a plan needs: what comes of it is held afterwards, or not at all. Plans that
   * are made at once do not know of each other, so each of them gets its share of what is free for an endpoint.
   */
  reserve(limit: number, shares = 1): Reservation {
    const taken: string[] = [];
    const takenFor = new Map<string, number>();
    return {
      places: Math.min(limit, this.free),
      limits: this.limits,
      shares,
      held: () => this.held(),
      take: ({ endpointId, maxInFlight }) => {
        const mine = takenFor.get(endpointId) ?? 0;
        const others = (this.#held.get(endpointId) ?? 0) - mine;
        const most = (maxInFlight ?? this.limits.perEndpoint) * this.limits.prefetch;
        if (taken.length >= limit || this.free <= 0 || mine >= Math.floor((most - others) / shares)) {
          return false;
        }
        this.hold(endpointId);
        taken.push(endpointId);
        takenFor.set(endpointId, mine + 1);
        return true;
      },
      end: () => taken.splice(0).forEach((endpointId) => this.release(endpointId)),
    };
  }
}
