import { randomFillSync } from 'node:crypto';

/** A system call for a few bytes costs more than using them. */
const pool = Buffer.alloc(8_192);
let used = pool.length;

/** Random bytes from a pool, valid until the next call: use or copy them before. */
export function takeRandomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += size;
  return pool.subarray(used - size, used);
}
