import { once } from 'node:events';
import { describeStartFailure } from './describe-start-failure.ts';
import type { Launch } from './start-apps.ts';
import { stopAll } from './stop-all.ts';
import { exitAtDeadline } from './stop-deadline.ts';
import { watchParent } from './watch-parent.ts';

const STOP_TIMEOUT_MS = 20_000;
const DEADLINE_MS = 30_000;
const LAST_STOP_MS = 10_000;

export interface Launched {
  /** Printed for the user. */
  text: string;
  /** True if it was a command that is done: there is nothing to wait for. */
  isDone?: boolean;
}

/** Adds each started part to `launch`, so it is stopped in every case. */
export type Start = (launch: Launch, signal: AbortSignal) => Promise<Launched>;

/**
 * Runs until it is told to stop, then drains and ends the process: 0 on success, 1 if the start or the stop failed. One
 * signal is enough and further ones change nothing: Ctrl-C sends it to this process, and npm forwards it again.
 */
export async function launch(start: Start, prepare?: (signal: AbortSignal) => Promise<void>): Promise<never> {
  const stop = new AbortController();
  const progress: Launch = { started: [] };
  let exitCode = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => stop.abort());
  }
  watchParent(() => stop.abort());
  process.on('uncaughtException', (error) => {
    exitCode = 1;
    tell(`Stopping, because of an error that nobody caught:\n${error.stack}`);
    stop.abort();
  });
  stop.signal.addEventListener('abort', () =>
    exitAtDeadline({
      ...{ deadlineMs: DEADLINE_MS, lastStopMs: LAST_STOP_MS, started: progress.started },
      ...{ tell, exit: (code) => process.exit(code) },
    }),
  );

  try {
    await prepare?.(stop.signal);
    const { text, isDone } = await start(progress, stop.signal);
    console.log(text);
    if (!isDone) {
      await until(stop.signal);
      console.log('Stopping: finishing what is under way ...');
    }
  } catch (error) {
    if (!stop.signal.aborted) {
      exitCode = 1;
      tell(describeStartFailure(error, progress.ports));
    }
  }
  const isClean = await stopAll(progress.started, STOP_TIMEOUT_MS, tell);
  process.exit(isClean ? exitCode : 1);
}

async function until(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await once(signal, 'abort');
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
