const INTERVAL_MS = 250;

/**
 * npm passes signals on to the shell that runs a script, and a shell may die of them without forwarding; npm itself may
 * be killed. In both cases nothing is left to stop this process, so it stops by itself.
 */
export function watchParent(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) {
    return;
  }
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) {
      clearInterval(timer);
      onGone();
    }
  }, INTERVAL_MS);
  timer.unref();
}
