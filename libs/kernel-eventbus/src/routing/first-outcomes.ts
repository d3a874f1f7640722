import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Settlement } from '../delivery/settlement.js';

/** How long a batch waits for its first outcome. */
const HOLD_MS = 500;
/** How long it waits for the next one: what is settled must not wait for long because of what is slow. */
const QUIET_MS = 50;

/**
 * What becomes of the deliveries of a batch that are on their way before it is written. What is settled in time is written with it,
 * so that each of these deliveries is one row, written once.
 */
export class FirstOutcomes {
  readonly #underWay: Set<string>;
  readonly #settled: Settlement[] = [];
  readonly #gathered = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<ReadonlySet<string>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deliveries: readonly ClaimedDelivery[]) {
    this.#underWay = new Set(deliveries.map(({ deliveryId }) => deliveryId));
  }

  /** True when the batch was written with it. Otherwise it is too late, or nothing could be written: it has to be recorded by itself. */
  async take(settlement: Settlement): Promise<boolean> {
    const { deliveryId } = settlement.delivery;
    const isInTime = !this.#isClosed;
    if (isInTime) {
      this.#settled.push(settlement);
      this.leave(deliveryId);
      this.waitForNext();
    }
    return (await this.#ended.promise).has(deliveryId) && isInTime;
  }

  /** Nothing comes of it in time. Resolves when the batch is over. */
  async giveUp({ deliveryId }: ClaimedDelivery): Promise<void> {
    this.leave(deliveryId);
    await this.#ended.promise;
  }

  /** Waits for what is under way, while something keeps coming, and says what is settled. Whatever comes later is too late. */
  async gather(): Promise<readonly Settlement[]> {
    if (this.#underWay.size > 0) {
      this.#timer = setTimeout(this.#gathered.resolve, HOLD_MS);
      await this.#gathered.promise;
      clearTimeout(this.#timer);
    }
    this.#isClosed = true;
    return this.#settled;
  }

  /** The batch is over: these of its deliveries were written. */
  end(writtenIds: ReadonlySet<string>): void {
    this.#isClosed = true;
    this.#ended.resolve(writtenIds);
  }

  private waitForNext(): void {
    if (this.#settled.length === 1) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#gathered.resolve, QUIET_MS);
    } else {
      this.#timer?.refresh();
    }
  }

  private leave(deliveryId: string): void {
    this.#underWay.delete(deliveryId);
    if (this.#underWay.size === 0) {
      this.#gathered.resolve();
    }
  }
}
