import type { SeededRandom } from './seeded-random.ts';

const FRESH = 0.6;
const BUSY_STREAMS = 8;
/** A prime, so the order of the streams shows no pattern within a batch. */
const STRIDE = 7_919;

/**
 * Chooses the stream of the next event. All have their turn, and a few are busy at any time: their events follow each
 * other so closely that several clients write, and several workers route, the same stream at once.
 */
export class StreamChoice {
  readonly #streams: number;
  readonly #random: SeededRandom;
  readonly #busy: string[] = [];
  #turns = 0;

  constructor(streams: number, random: SeededRandom) {
    this.#streams = streams;
    this.#random = random;
  }

  next(): string {
    return this.#random.fraction() < FRESH ? this.fresh() : this.busy();
  }

  /** A stream that had its turn recently. */
  busy(): string {
    return this.#busy.length > 0 ? this.#random.pick(this.#busy) : this.fresh();
  }

  private fresh(): string {
    const streamKey = `s-${(this.#turns++ * STRIDE) % this.#streams}`;
    this.#busy.push(streamKey);
    this.#busy.splice(0, this.#busy.length - BUSY_STREAMS);
    return streamKey;
  }
}
