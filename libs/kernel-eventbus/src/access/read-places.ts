import { AsyncLocalStorage } from 'node:async_hooks';
import { RequestRefusedError } from '../eventbus.refusals.js';
import { TenantPlaces } from '@kernel/outgoing-http';
import type { Caller } from './caller.js';

/** Connections that reads may use if the option is not set: a third of the pool, and at least 2. */
export function defaultReadConcurrency(poolSize: number): number {
  return Math.max(2, Math.floor(poolSize / 3));
}

/** Waiting requests keep their bodies in memory. */
const MAX_WAITING = 100;

/**
 * Limits the connections that reads and changes on behalf of callers use at once, so that they cannot take the pool from
 * publishing. A third of the places is reserved for operators. A tenant has at most half of the others, and an operator's
 * token the reserved ones besides, but never all; those that wait take turns.
 */
export class ReadPlaces {
  readonly #tenantShares: TenantPlaces;
  readonly #operatorShares: TenantPlaces;
  readonly #shared: TenantPlaces;
  readonly #reserved: TenantPlaces;
  readonly #long = new TenantPlaces({ total: 1, perTenant: 1 });
  readonly #held = new AsyncLocalStorage<true>();
  readonly #asked = new Map<string, number>();

  /** `waitMs` limits the wait for a place. */
  constructor(
    concurrency: number,
    private readonly waitMs: number,
  ) {
    const reserved = Math.max(1, Math.floor(concurrency / 3));
    const shared = concurrency - reserved;
    const share = Math.max(1, Math.floor(shared / 2));
    this.#tenantShares = new TenantPlaces({ total: Infinity, perTenant: share });
    this.#operatorShares = new TenantPlaces({
      total: Infinity,
      perTenant: Math.min(share + reserved, concurrency - 1),
    });
    this.#shared = new TenantPlaces({ total: shared, perTenant: shared });
    this.#reserved = new TenantPlaces({ total: reserved, perTenant: reserved });
  }

  /** Work within work keeps the place of the outer one: two that wait for a second place would wait for each other. */
  async hold<T>({ tenantId, actor }: Caller, work: () => Promise<T>): Promise<T> {
    if (this.#held.getStore()) {
      return work();
    }
    const holder = tenantId ?? actor;
    return this.counted(holder, () => this.holdPlace(holder, tenantId === undefined, work));
  }

  private async counted<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(holder) ?? 0;
    if (asked >= MAX_WAITING) {
      throw busy(this.waitMs);
    }
    this.#asked.set(holder, asked + 1);
    try {
      return await work();
    } finally {
      const left = this.#asked.get(holder)! - 1;
      if (left > 0) this.#asked.set(holder, left);
      else this.#asked.delete(holder);
    }
  }

  private holdPlace<T>(holder: string, isOperator: boolean, work: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.waitMs);
    return this.in(isOperator ? this.#operatorShares : this.#tenantShares, holder, signal, () => {
      const isReserved = isOperator && (this.#reserved.hasRoomFor(holder) || !this.#shared.hasRoomFor(holder));
      const places = isReserved ? this.#reserved : this.#shared;
      return this.in(places, holder, signal, () => this.#held.run(true, work));
    });
  }

  /** For work of minutes: one at a time, beside the other places, so that its token can read meanwhile. */
  holdLong<T>({ actor }: Caller, work: () => Promise<T>): Promise<T> {
    return this.in(this.#long, actor, AbortSignal.timeout(this.waitMs), work);
  }

  /** For a caller that reads one after the other, and so needs no limit. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T> {
    return this.#held.run(true, work);
  }

  private async in<T>(places: TenantPlaces, holder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await places.take(holder, signal).catch(() => {
      throw busy(this.waitMs);
    });
    try {
      return await work();
    } finally {
      places.release(holder);
    }
  }
}

function busy(waitMs: number): RequestRefusedError {
  const detail =
    'other requests to the admin API still wait for the database: try again later, or ask for less at a time; the host sets their number as adminReadConcurrency';
  return new RequestRefusedError('BUSY', detail, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
