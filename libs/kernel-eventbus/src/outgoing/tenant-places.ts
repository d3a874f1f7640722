export interface PlaceLimits {
  total: number;
  perTenant: number;
  /** Places on top of `total`, for tenants that hold none. Default: none. */
  reserve?: number;
}

/** A number of places, of which one tenant gets some only. Tenants that wait take turns; within a tenant it is first come, first served. */
export class TenantPlaces {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();
  /** By tenant; the tenant whose turn it is comes first. */
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly limits: PlaceLimits) {}

  /** False: there is no place now. */
  tryTake(tenantId: string): boolean {
    const hasRoom = this.hasRoomFor(tenantId);
    if (hasRoom) this.occupy(tenantId);
    return hasRoom;
  }

  /** Rejects with the signal's reason when that fires before there is a place. */
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
    // A tenant that has left its last place has room in the reserve, besides the one that enters in its stead.
    while (this.callNext());
  }

  private callNext(): boolean {
    for (const [tenantId, line] of this.waiting) {
      if (!this.hasRoomFor(tenantId)) continue;
      const [first] = line;
      line.delete(first!);
      // To the end, if others of it wait.
      this.waiting.delete(tenantId);
      if (line.size > 0) this.waiting.set(tenantId, line);
      this.occupy(tenantId);
      first!();
      return true;
    }
    return false;
  }

  private hasRoomFor(tenantId: string): boolean {
    const { total, perTenant, reserve = 0 } = this.limits;
    const held = this.takenBy.get(tenantId) ?? 0;
    return held < perTenant && this.taken < (held === 0 ? total + reserve : total);
  }

  private occupy(tenantId: string): void {
    this.taken += 1;
    this.takenBy.set(tenantId, (this.takenBy.get(tenantId) ?? 0) + 1);
  }
}
