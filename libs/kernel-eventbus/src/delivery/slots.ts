/** How many more deliveries a worker may take, in all and per endpoint. */
export interface Room {
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

  /** Up to so many places, taken for the time that a plan needs: what comes of it is held afterwards, or not at all. */
  reserve(limit: number): Reservation {
    const taken: string[] = [];
    return {
      take: ({ endpointId, maxInFlight }) => {
        const most = (maxInFlight ?? this.limits.perEndpoint) * this.limits.prefetch;
        if (taken.length >= limit || this.free <= 0 || (this.#held.get(endpointId) ?? 0) >= most) {
          return false;
        }
        this.hold(endpointId);
        taken.push(endpointId);
        return true;
      },
      end: () => taken.splice(0).forEach((endpointId) => this.release(endpointId)),
    };
  }
}
