import type { SeededChance } from './seeded-chance.ts';

const FRESH = 0.6;
const BUSY_STREAMS = 8;
/** A prime, so that the streams take turns in no order that a batch would see. */
const STRIDE = 7_919;

/**
 * Which stream the next event is about. All have their turn, and a few of them are busy at any time: their events follow
 * each other so closely that several clients write, and several workers route, the same stream at once.
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

  /** One that had its turn just now. */
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
