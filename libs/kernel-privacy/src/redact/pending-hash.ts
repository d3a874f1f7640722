import { setImmediate as nextTurn } from 'node:timers/promises';
import { setOwn, type Container } from './copy-json.js';
import { writeJson } from './write-json.js';

/** Turns the text form of a value into its hash; see `hmacSha256`. */
export type HashText = (text: string) => string;

/** A few milliseconds of hashing. */
const AT_ONCE = 1_000;

/** A place in a redacted payload whose hash is not yet computed. */
export class PendingHash {
  #container!: Container;
  #name!: string | number;

  constructor(private readonly value: unknown) {}

  standsAt(container: object, name: string | number): void {
    this.#container = container as Container;
    this.#name = name;
  }

  /** Hashes a string as it is and any other value as JSON, so 5 and "5" hash alike. */
  fill(hash: HashText): void {
    const text = typeof this.value === 'string' ? this.value : writeJson(this.value);
    setOwn(this.#container, `${this.#name}`, hash(text));
  }
}

/** Yields to the event loop between batches: a payload may have a hundred thousand values to hash. */
export async function fillHashes(pending: readonly PendingHash[], hash: HashText): Promise<void> {
  for (let from = 0; from < pending.length; from += AT_ONCE) {
    if (from > 0) {
      await nextTurn();
    }
    pending.slice(from, from + AT_ONCE).forEach((place) => place.fill(hash));
  }
}
