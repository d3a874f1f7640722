import type { Kysely } from 'kysely';
import { findCut, findFirstTime, measureSlice } from './entries.sql.js';

const FIRST_STEP_MICROS = 4_000_000;
const SHRINK = 4;

/**
 * Upper bound of a batch: the latest time before which at most `limit` entries were recorded since `fromTime`, or
 * `toTime` if there are no more. Entries of the same microsecond are never split. Walks in time slices that grow where
 * few entries were recorded and shrink where many were, so a batch costs the same however far sealing is behind.
 */
export async function findBatchEnd(
  db: Kysely<unknown>,
  fromTime: string,
  toTime: string,
  limit: number,
): Promise<string> {
  let start = fromTime === '-infinity' ? ((await findFirstTime(db, fromTime, toTime)) ?? toTime) : fromTime;
  let stepMicros = FIRST_STEP_MICROS;
  for (let found = 0; start < toTime;) {
    const { end, count } = await measureSlice(db, { fromTime: start, toTime, stepMicros, most: 2 * limit + 1 });
    if (count > 2 * limit && stepMicros > 1) {
      stepMicros = Math.ceil(stepMicros / SHRINK);
      continue;
    }
    if (found + count > limit) {
      return cutSlice(db, start, end, { found, limit });
    }
    found += count;
    start = end;
    stepMicros *= count > limit / SHRINK ? 1 : 2;
  }
  return toTime;
}

async function cutSlice(
  db: Kysely<unknown>,
  start: string,
  end: string,
  { found, limit }: { found: number; limit: number },
): Promise<string> {
  const cut = await findCut(db, start, end, limit - found);
  if (found > 0) {
    return cut;
  }
  const first = (await findFirstTime(db, start, end))!;
  return cut > first ? cut : microsecondAfter(first);
}

/** The next microsecond, e.g. after `2026-11-16T08:30:02.123456Z`. */
function microsecondAfter(time: string): string {
  const micros = Number(time.slice(20, 26)) + 1;
  if (micros < 1_000_000) {
    return `${time.slice(0, 20)}${String(micros).padStart(6, '0')}Z`;
  }
  return new Date(Date.parse(`${time.slice(0, 19)}Z`) + 1_000).toISOString().replace('.000Z', '.000000Z');
}
