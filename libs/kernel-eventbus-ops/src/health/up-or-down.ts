import { setTimeout as delay } from 'node:timers/promises';
import type { HealthIndicatorResult } from '@nestjs/terminus';

/** Down with the error's message if `work` fails or takes too long. Terminus has the same from version 12 on. */
export async function upOrDown<Key extends string>(
  key: Key,
  timeoutMs: number,
  work: () => Promise<void>,
): Promise<HealthIndicatorResult<Key>> {
  const inTime = new AbortController();
  const tooLate = delay(timeoutMs, `timeout of ${timeoutMs}ms exceeded`, { signal: inTime.signal }).catch(() => '');
  const failure = work().then(
    () => undefined,
    (error: Error) => error.message,
  );
  const message = await Promise.race([failure, tooLate]);
  inTime.abort();
  const detail = message === undefined ? { status: 'up' as const } : { status: 'down' as const, message };
  return { [key]: detail } as HealthIndicatorResult<Key>;
}
