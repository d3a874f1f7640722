import type { SeededChance } from './seeded-chance.ts';

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
  readonly #chance: SeededChance;
  readonly #busy: string[] = [];
  #turns = 0;

  constructor(streams: number, chance: SeededChance) {
    this.#streams = streams;
    this.#chance = chance;
  }

  next(): string {
    return this.#chance.fraction() < FRESH ? this.fresh() : this.busy();
  }

  /** A stream that had its turn recently. */
  busy(): string {
    return this.#busy.length > 0 ? this.#chance.pick(this.#busy) : this.fresh();
  }

  private fresh(): string {
    const streamKey = `s-${(this.#turns++ * STRIDE) % this.#streams}`;
    this.#busy.push(streamKey);
    this.#busy.splice(0, this.#busy.length - BUSY_STREAMS);
    return streamKey;
  }
}
