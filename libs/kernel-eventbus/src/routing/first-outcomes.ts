import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Settlement } from '../delivery/settlement.js';
import { isStorableText } from '../envelope/canonical-json.js';

/**
 * How long a batch waits at most: its events are locked, a connection is taken, and whoever makes or drops a partition waits for it, for
 * 200 ms at most.
 */
const HOLD_MS = 150;
/** How long it waits for the next outcome: what is settled must not wait for long because of what is slow. */
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
  readonly #hold = setTimeout(this.#gathered.resolve, HOLD_MS);
  #quiet: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deliveries: readonly ClaimedDelivery[]) {
    this.#underWay = new Set(deliveries.map(({ deliveryId }) => deliveryId));
    this.endIfAllSettled();
  }

  /** True when the batch was written with it. Otherwise it is too late, or nothing could be written: it has to be recorded by itself. */
  async take(settlement: Settlement): Promise<boolean> {
    const { deliveryId } = settlement.delivery;
    // One that the database would refuse must not take the others down with it.
    const isTaken = !this.#isClosed && isStorable(settlement);
    this.leave(deliveryId);
    if (isTaken) {
      this.#settled.push(settlement);
      this.#quiet ??= setTimeout(this.#gathered.resolve, QUIET_MS);
      this.#quiet.refresh();
    }
    return (await this.#ended.promise).has(deliveryId) && isTaken;
  }

  /** Nothing comes of it in time. Resolves when the batch is over. */
  async giveUp({ deliveryId }: ClaimedDelivery): Promise<void> {
    this.leave(deliveryId);
    await this.#ended.promise;
  }

  /** Waits for what is under way, while something keeps coming, and says what is settled. Whatever comes later is too late. */
  async gather(): Promise<readonly Settlement[]> {
    await this.#gathered.promise;
    this.close();
    return this.#settled;
  }

  /** The batch is over: these of its deliveries were written. */
  end(writtenIds: ReadonlySet<string>): void {
    this.close();
    this.#ended.resolve(writtenIds);
  }

  private close(): void {
    this.#isClosed = true;
    clearTimeout(this.#hold);
    clearTimeout(this.#quiet);
  }

  private leave(deliveryId: string): void {
    this.#underWay.delete(deliveryId);
    this.endIfAllSettled();
  }

  private endIfAllSettled(): void {
    if (this.#underWay.size === 0) {
      this.#gathered.resolve();
    }
  }
}

/** What a host's judge, backoff or handler says may be anything. */
function isStorable({ error, errorClass, nextDelayMs, statusCode, attempt }: Settlement): boolean {
  const isText = (text: string | null | undefined) => typeof text !== 'string' || isStorableText(text);
  const isWhole = (number: number | null) => number === null || Number.isSafeInteger(number);
  return (
    isText(error) &&
    isText(errorClass) &&
    isText(attempt?.responseExcerpt) &&
    isWhole(nextDelayMs) &&
    isWhole(statusCode)
  );
}
