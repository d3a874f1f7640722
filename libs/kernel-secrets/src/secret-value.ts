import { inspect } from 'node:util';

const MASK = '[secret]';

/**
 * A secret that does not print itself: logs, JSON, templates and inspection show a mask; only `reveal()` returns the
 * text.
 */
export class SecretValue {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
