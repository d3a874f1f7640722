import { lowestIdAt } from './partition-range.js';

/** Default of the allowed difference between the clocks behind ids and timestamps. */
const SKEW_MS = 3_600_000;
const LATEST_MS = 2 ** 48 - 1;

/** Rows stamped at `time` or later have this id or a higher one: a bound for an index on ids. */
export function lowestIdSince(time: string, skewMs = SKEW_MS): string {
  return idAt(Date.parse(time) - skewMs);
}

/** Rows stamped before `time` have a lower id. */
export function idBeyond(time: string, skewMs = SKEW_MS): string {
  return idAt(Date.parse(time) + skewMs);
}

function idAt(timeMs: number): string {
  return lowestIdAt(Math.min(Math.max(timeMs, 0), LATEST_MS));
}
