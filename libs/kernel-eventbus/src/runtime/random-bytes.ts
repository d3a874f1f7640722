import { randomFillSync } from 'node:crypto';

/** Asking the system for a few bytes costs more than what is made of them. */
const pool = Buffer.alloc(8_192);
let used = pool.length;

/** Random bytes out of a pool. They are the caller's until the next call: use them up or copy them. */
export function takeRandomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}
