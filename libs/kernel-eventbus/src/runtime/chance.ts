import { Injectable } from '@nestjs/common';

/** Randomness for jitter, so that a test can fix it. */
@Injectable()
export class Chance {
  /** At least 0, below 1. */
  fraction(): number {
    return Math.random();
  }
}
