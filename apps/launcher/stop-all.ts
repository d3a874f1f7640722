import { setTimeout as delay } from 'node:timers/promises';

export interface Stoppable {
  /** For the line that says what would not stop. */
  name: string;
  /** It would live on when this process ends, so it is stopped even when time is up. */
  isOutliving?: boolean;
  stop(): Promise<void>;
}

/** Stops in the reverse order of the start. What hangs or fails is told and passed by; false when there was such. */
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
