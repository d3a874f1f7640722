import { reserveOf } from '../dispatch/reserve-of.js';
import type { Place, Room } from '../routing/room.js';

export interface HeldPlaces {
  endpointIds: string[];
  counts: number[];
}

export interface Reservation extends Room {
  end(): void;
}

/** Places for one poll of the outbox or the queue. */
export interface Share {
  limit: number;
  /** Tenants that get none of these places. */
  exceptTenantIds: readonly string[];
  /** Places for any one tenant. */
  perTenant: number;
}

/** Limits for held deliveries. */
export interface SlotLimits {
  total: number;
  /** For an endpoint without a limit of its own. */
  perEndpoint: number;
  /** Deliveries held for each one in flight. */
  prefetch: number;
}

/** Deliveries held for each one in flight: those fetched ahead are sent while the next are being fetched. */
const PREFETCH = 8;

/**
 * Multiple of `concurrency` that is free before a full worker polls: small batches cost nearly as much as large ones.
 */
export const REFILL = 4;

export function slotsFor(config: { concurrency: number; perEndpointConcurrency: number }): Slots {
  return new Slots({ total: config.concurrency, perEndpoint: config.perEndpointConcurrency, prefetch: PREFETCH });
}

/**
 * Counts the deliveries that a worker holds, in flight and fetched ahead. One endpoint never takes all places. One
 * tenant can, but a reserve on top serves the tenants that hold none.
 */
export class Slots {
  readonly #byEndpoint = new Map<string, number>();
  readonly #byTenant = new Map<string, number>();
  #total = 0;

  constructor(readonly limits: SlotLimits) {}

  /** Free places for all tenants. */
  get free(): number {
    return this.limits.total * this.limits.prefetch - this.#total;
  }

  /** Free places for tenants that hold none. */
  get freeReserve(): number {
    return this.free + reserveOf(this.limits.total) * this.limits.prefetch;
  }

  /** True if enough is free for a batch that is worth its cost. */
  get canRefill(): boolean {
    return this.free >= REFILL * this.limits.total;
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

  /** Number of held deliveries per endpoint: a claim leaves room for them. */
  held(): HeldPlaces {
    return { endpointIds: [...this.#byEndpoint.keys()], counts: [...this.#byEndpoint.values()] };
  }

  /** Up to `limit` places for all tenants. */
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

  /** Up to `limit` places, reserved for the time of a plan; the planned deliveries hold their own afterwards. */
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
