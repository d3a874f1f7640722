import { stopAll, type Stoppable } from './stop-all.ts';

export interface StopDeadline {
  deadlineMs: number;
  /** For what would live on when this process ends. */
  lastStopMs: number;
  /** Looked at when time is up: things may start until then. */
  started: readonly Stoppable[];
  tell: (line: string) => void;
  exit: (code: number) => void;
}

/** The last resort, for what hangs where nothing else watches. */
export function exitAtDeadline({ deadlineMs, lastStopMs, started, tell, exit }: StopDeadline): void {
  setTimeout(() => {
    tell(`Still not stopped after ${deadlineMs / 1000} s; giving up.`);
    const outliving = started.filter(({ isOutliving }) => isOutliving);
    void stopAll(outliving, lastStopMs, tell).then(() => exit(1));
  }, deadlineMs).unref();
}
