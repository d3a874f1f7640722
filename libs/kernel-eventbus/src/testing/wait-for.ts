import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** Generous by default: a slow machine is not a failure. Default: 60000. */
  timeoutMs?: number;
}

/** Waits until the condition gives something truthy, and returns that. It looks once more when the time is over. */
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
