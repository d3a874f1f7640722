import { Injectable } from '@nestjs/common';

/** Randomness for jitter, replaceable in tests. */
@Injectable()
export class Random {
  /** At least 0, below 1. */
  fraction(): number {
    return Math.random();
  }
}
