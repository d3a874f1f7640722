export interface PlaceLimits {
  total: number;
  perTenant: number;
  /** Places in addition to `total`, for tenants that hold none. Default: none. */
  reserve?: number;
}

/**
 * A limited number of places, also limited per tenant. Waiting tenants take turns; within a tenant it is first come,
 * first served.
 */
export class TenantPlaces {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  /** By tenant; the next tenant in turn comes first. */
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly limits: PlaceLimits) {}

  /** True if `take` would not wait. */
  hasRoomFor(tenantId: string): boolean {
    const { total, perTenant, reserve = 0 } = this.limits;
    const held = this.takenBy.get(tenantId) ?? 0;
    return held < perTenant && this.taken < (held === 0 ? total + reserve : total);
  }

  /** False if no place is free. */
  tryTake(tenantId: string): boolean {
    const hasRoom = this.hasRoomFor(tenantId);
    if (hasRoom) this.occupy(tenantId);
    return hasRoom;
  }

  /** Rejects with the signal's reason if it fires before a place is free. */
  async take(tenantId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryTake(tenantId)) return;

    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = this.waiting.get(tenantId) ?? new Set();
    this.waiting.set(tenantId, line.add(resolve));
    const leave = () => {
      line.delete(resolve);
      if (line.size === 0 && this.waiting.get(tenantId) === line) this.waiting.delete(tenantId);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  release(tenantId: string): void {
    this.taken -= 1;
    const left = this.takenBy.get(tenantId)! - 1;
    if (left > 0) this.takenBy.set(tenantId, left);
    else this.takenBy.delete(tenantId);
    // A tenant that released its last place may enter through the reserve, in addition to the waiter that takes the
    // place.
    while (this.callNext());
  }

  private callNext(): boolean {
    for (const [tenantId, line] of this.waiting) {
      if (!this.hasRoomFor(tenantId)) continue;
      const [first] = line;
      line.delete(first!);
      // Moves the tenant to the end if it has more waiters.
      this.waiting.delete(tenantId);
      if (line.size > 0) this.waiting.set(tenantId, line);
      this.occupy(tenantId);
      first!();
      return true;
    }
    return false;
  }

  private occupy(tenantId: string): void {
    this.taken += 1;
    this.takenBy.set(tenantId, (this.takenBy.get(tenantId) ?? 0) + 1);
  }
}
