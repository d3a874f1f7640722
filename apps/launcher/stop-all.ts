import { setTimeout as delay } from 'node:timers/promises';

export interface Stoppable {
  /** For the message about a part that does not stop. */
  name: string;
  /** True if it would outlive this process, so it is stopped even after the deadline. */
  isOutliving?: boolean;
  stop(): Promise<void>;
}

/**
 * Stops in the reverse order of the start. A part that hangs or fails is reported and skipped; false if there was one.
 */
export async function stopAll(
  started: readonly Stoppable[],
  timeoutMs: number,
  tell: (line: string) => void,
): Promise<boolean> {
  let isClean = true;
  for (const running of started.toReversed()) {
    const problem = await Promise.race([
      running.stop().then(
        () => undefined,
        (error: Error) => error.message,
      ),
      delay(timeoutMs, `no end after ${timeoutMs / 1000} s`, { ref: false }),
    ]);
    if (problem) {
      isClean = false;
      tell(`Stopping ${running.name} failed: ${problem}`);
    }
  }
  return isClean;
}
