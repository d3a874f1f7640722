/** `untilTold` aborts at SIGTERM; `begun` tells the parent that the program is at work. */
export type Work<Setup> = (setup: Setup, untilTold: AbortSignal, begun: () => void) => Promise<void>;

/**
 * Loads first, works when the parent sends the setup, and ends by itself when the work is over. `process.exit` is never
 * called, so a resource left open by the kernel keeps the process alive and is found.
 */
export function obey<Setup>(work: Work<Setup>): void {
  const told = new AbortController();
  let isAtWork = false;
  process.once('SIGTERM', () => {
    told.abort();
    if (!isAtWork) {
      process.disconnect();
    }
  });
  const orphaned = () => process.kill(process.pid, 'SIGKILL');
  process.once('message', (setup: Setup) => {
    isAtWork = true;
    process.once('disconnect', orphaned);
    work(setup, told.signal, () => process.send!('begun'))
      .catch((error: unknown) => {
        console.error(error);
        process.exitCode = 1;
      })
      .finally(() => {
        process.off('disconnect', orphaned);
        process.disconnect();
      });
  });
  process.send!('loaded');
}
