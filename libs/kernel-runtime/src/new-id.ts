import { v7 } from 'uuid';
import { takeRandomBytes } from './random-bytes.js';

const LARGEST_COUNT = 0xffffffff;
let lastMs = 0;
let count = 0;

/** A UUIDv7 that is greater than all earlier ones of this process. */
export function newId(): string {
  const random = takeRandomBytes(16);
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    count = random.readUInt32BE(4) >>> 1;
  } else if (count < LARGEST_COUNT) {
    count++;
  } else {
    lastMs++;
    count = 0;
  }
  return v7({ random, msecs: lastMs, seq: count });
}
