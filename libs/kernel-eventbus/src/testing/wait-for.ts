import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Generous, because a slow machine is not a failure. Default: 60000. */
  timeoutMs?: number;
}

/** Waits for a truthy value and returns it. Checks once more at the deadline. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  what: string,
  { timeoutMs = 60_000 }: WaitOptions = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const isLastLook = Date.now() >= deadline;
    const value = await condition();
    if (value) {
      return value as Exclude<NonNullable<T>, false>;
    }
    if (isLastLook) {
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    }
    await delay(10);
  }
}
