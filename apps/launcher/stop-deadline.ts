import { stopAll, type Stoppable } from './stop-all.ts';

export interface StopDeadline {
  deadlineMs: number;
  /** For parts that would outlive this process. */
  lastStopMs: number;
  /** Read at the deadline: parts may start until then. */
  started: readonly Stoppable[];
  tell: (line: string) => void;
  exit: (code: number) => void;
}

/** The last resort for a hang that no other timeout covers. */
export function exitAtDeadline({ deadlineMs, lastStopMs, started, tell, exit }: StopDeadline): void {
  setTimeout(() => {
    tell(`Still not stopped after ${deadlineMs / 1000} s; giving up.`);
    const outliving = started.filter(({ isOutliving }) => isOutliving);
    void stopAll(outliving, lastStopMs, tell).then(() => exit(1));
  }, deadlineMs).unref();
}
