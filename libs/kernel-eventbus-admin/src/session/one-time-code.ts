import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@kernel/runtime';
import { hashToken, isSameHash } from '../access/bearer-token.js';

const LIFE_MS = 600_000;

/**
 * A code that can be printed where a token must not be: it works once, for ten minutes, and only in the process that
 * issued it. A wrong guess does not invalidate it, so guessing cannot lock out its owner.
 */
@Injectable()
export class OneTimeCode {
  #current: { hash: string; endsAtMs: number } | undefined;

  constructor(private readonly clock: Clock) {}

  /** Issues a new code and invalidates the previous one. */
  issue(): string {
    const code = randomBytes(32).toString('base64url');
    this.#current = { hash: hashToken(code), endsAtMs: this.clock.now().getTime() + LIFE_MS };
    return code;
  }

  /** True at most once per code. */
  redeem(code: string): boolean {
    const current = this.#current;
    if (!current || !isSameHash(hashToken(code), current.hash)) {
      return false;
    }
    this.#current = undefined;
    return current.endsAtMs > this.clock.now().getTime();
  }
}
