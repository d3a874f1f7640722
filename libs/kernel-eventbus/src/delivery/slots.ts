/** A place for one delivery. */
export interface Place {
  tenantId: string;
  endpointId: string;
}

/** How many more deliveries a worker may take. */
export interface Room {
  /** Takes a place for a delivery, if there is one. */
  take(place: Place & { maxInFlight: number | null }): boolean;
}

export interface HeldPlaces {
  endpointIds: string[];
  counts: number[];
}

export interface Reservation extends Room {
  end(): void;
}

/** Places for one look at the outbox or the queue. */
export interface Share {
  limit: number;
  /** Tenants that get none of these places. */
  exceptTenantIds: readonly string[];
  /** Places for any one tenant. */
  perTenant: number;
}

/** The limits of what is in flight. */
export interface SlotLimits {
  total: number;
  /** For an endpoint without a limit of its own. */
  perEndpoint: number;
  /** Deliveries held for each one in flight. */
  prefetch: number;
}

/** Places on top of `concurrency` for tenants that hold none: a quarter. */
export function reserveOf(concurrency: number): number {
  return Math.ceil(concurrency / 4);
}

/**
 * Counts the deliveries a worker holds, in flight and fetched ahead. One endpoint never takes all places. One tenant can, but then a
 * reserve on top still serves the tenants that hold none.
 */
export class Slots {
  readonly #byEndpoint = new Map<string, number>();
  readonly #byTenant = new Map<string, number>();
  #total = 0;

  constructor(readonly limits: SlotLimits) {}

  /** Places for everybody. */
  get free(): number {
    return this.limits.total * this.limits.prefetch - this.#total;
  }

  /** Places for tenants that hold none. */
  get freeReserve(): number {
    return this.free + reserveOf(this.limits.total) * this.limits.prefetch;
  }

  hold({ tenantId, endpointId }: Place): void {
    change(this.#byTenant, tenantId, 1);
    change(this.#byEndpoint, endpointId, 1);
    this.#total++;
  }

  release({ tenantId, endpointId }: Place): void {
    change(this.#byTenant, tenantId, -1);
    change(this.#byEndpoint, endpointId, -1);
    this.#total--;
  }

  isHeldBy(tenantId: string): boolean {
    return this.#byTenant.has(tenantId);
  }

  /** Endpoints that this worker holds deliveries for, with their number: a claim leaves room for them. */
  held(): HeldPlaces {
    return { endpointIds: [...this.#byEndpoint.keys()], counts: [...this.#byEndpoint.values()] };
  }

  /** Up to `limit` places for everybody. */
  share(limit: number): Share {
    const places = Math.max(0, Math.min(limit, this.free));
    return { limit: places, exceptTenantIds: [], perTenant: places };
  }

  /** Places for tenants that hold none, a few for each: one is sent at a time, the others are fetched ahead. */
  shareForNewcomers(): Share {
    return {
      limit: Math.max(0, this.freeReserve),
      exceptTenantIds: [...this.#byTenant.keys()],
      perTenant: this.limits.prefetch,
    };
  }

  /** Up to `limit` places, taken for the time of a plan; the deliveries that come of it hold their own afterwards. */
  reserve(limit: number): Reservation {
    return this.reserveShare(this.share(limit), () => this.free);
  }

  /** The same for tenants that hold no place. */
  reserveForNewcomers(share: Share): Reservation {
    return this.reserveShare(share, () => this.freeReserve);
  }

  private reserveShare({ limit, exceptTenantIds, perTenant }: Share, free: () => number): Reservation {
    const isExcepted = new Set(exceptTenantIds);
    const takenBy = new Map<string, number>();
    const taken: Place[] = [];
    const hasRoom = ({ tenantId, endpointId, maxInFlight }: Parameters<Room['take']>[0]) =>
      taken.length < limit &&
      free() > 0 &&
      !isExcepted.has(tenantId) &&
      (takenBy.get(tenantId) ?? 0) < perTenant &&
      (this.#byEndpoint.get(endpointId) ?? 0) < (maxInFlight ?? this.limits.perEndpoint) * this.limits.prefetch;
    return {
      take: (place) => {
        if (!hasRoom(place)) {
          return false;
        }
        this.hold(place);
        change(takenBy, place.tenantId, 1);
        taken.push({ tenantId: place.tenantId, endpointId: place.endpointId });
        return true;
      },
      end: () => taken.splice(0).forEach((place) => this.release(place)),
    };
  }
}

function change(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) {
    counts.set(key, count);
  } else {
    counts.delete(key);
  }
}
