/** Work with a deadline. */
export interface Expiring {
  expire(): void;
}

/** Work expires after the end of the tick of its deadline: never early, up to two ticks late. */
const tickMs = 20;

/**
 * One timer for the deadlines of all requests. Most requests end long before their deadline, so adding and removing one
 * has to be cheap: a timer of its own costs more than the rest of its bookkeeping.
 */
export class Deadlines {
  private readonly byTick = new Map<number, Set<Expiring>>();
  private timer: NodeJS.Timeout | undefined;

  /** Returns the tick, for `remove`. */
  add(work: Expiring, timeoutMs: number): number {
    const tick = Math.ceil((performance.now() + timeoutMs) / tickMs);
    const same = this.byTick.get(tick);
    if (same) {
      same.add(work);
    } else {
      this.byTick.set(tick, new Set([work]));
    }
    this.timer ??= setTimeout(() => this.check(), tickMs);
    return tick;
  }

  remove(work: Expiring, tick: number): void {
    this.byTick.get(tick)?.delete(work);
  }

  private check(): void {
    const now = performance.now();
    const expired: Expiring[] = [];
    for (const [tick, works] of this.byTick) {
      if (tick * tickMs <= now) expired.push(...works);
      if (tick * tickMs <= now || works.size === 0) this.byTick.delete(tick);
    }
    // Before the expired work: an error in it must not end the deadlines of others.
    this.timer = this.byTick.size > 0 ? setTimeout(() => this.check(), tickMs) : undefined;
    expired.forEach((work) => work.expire());
  }
}
