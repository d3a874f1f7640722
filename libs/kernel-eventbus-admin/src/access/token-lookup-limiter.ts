import { Injectable } from '@nestjs/common';
import { networkOf } from './source-network.js';

/** Lookups of one source that may wait behind the running one. */
const MAX_WAITING = 3;

interface Line {
  last: Promise<unknown>;
  length: number;
}

/** One lookup at a time per source: a noisy source uses at most one database connection. */
@Injectable()
export class TokenLookupLimiter {
  readonly #lines = new Map<string, Line>();

  /** Undefined if the queue is full; no lookup was made. */
  async take<T>(address: string | undefined, look: () => Promise<T>): Promise<T | undefined> {
    const source = networkOf(address);
    const line = this.#lines.get(source) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > MAX_WAITING) {
      return undefined;
    }
    this.#lines.set(source, line);
    line.length += 1;
    const turn = line.last.then(look);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.length -= 1;
      if (line.length === 0) {
        this.#lines.delete(source);
      }
    }
  }
}
