import { LoopTurns } from '@kernel/runtime';

/** Time for the predicates of one batch, whose transaction is open meanwhile. Tenants share it equally. */
const BATCH_MS = 1_000;
/** The same, including the event loop's other work in between. */
const BATCH_ELAPSED_MS = 3_000;

/** Limits the evaluation of predicates per tenant of a batch, so that no tenant delays the others. */
export class MatchingTime {
  readonly #turns = new LoopTurns();
  readonly #usedMs = new Map<string, number>();
  readonly #perTenantMs: number;
  readonly #endsAt = performance.now() + BATCH_ELAPSED_MS;
  #tenantId = '';
  #since = 0;

  constructor(tenants: number) {
    this.#perTenantMs = BATCH_MS / tenants;
  }

  /** Counts the time of the work for this tenant. */
  async during<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    this.#tenantId = tenantId;
    this.#since = performance.now();
    try {
      return await work();
    } finally {
      this.pause();
    }
  }

  /** True if the current tenant has used its share, or the batch its time. */
  get isUp(): boolean {
    const now = performance.now();
    return (this.#usedMs.get(this.#tenantId) ?? 0) + now - this.#since > this.#perTenantMs || now > this.#endsAt;
  }

  get isTurnDue(): boolean {
    return this.#turns.isDue;
  }

  /** Yields to the event loop, without counting the time. */
  async nextTurn(): Promise<void> {
    this.pause();
    await this.#turns.next();
    this.#since = performance.now();
  }

  private pause(): void {
    this.#usedMs.set(this.#tenantId, (this.#usedMs.get(this.#tenantId) ?? 0) + performance.now() - this.#since);
  }
}
