import { setTimeout as delay } from 'node:timers/promises';

/** The result of `work`; undefined on timeout or failure. */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const inTime = new AbortController();
  const tooLate = delay(timeoutMs, undefined, { signal: inTime.signal }).catch(() => undefined);
  try {
    return await Promise.race([work.catch(() => undefined), tooLate]);
  } finally {
    inTime.abort();
  }
}
