const UNITS: readonly [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `3 min ago`, `in 2 h`, `just now`. Clocks differ a little, so the near future is shown as now. */
export function formatAgo(atMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - atMs) / 1_000);
  if (Math.abs(seconds) < 5) {
    return 'just now';
  }
  const span = formatDuration(Math.abs(seconds));
  return seconds > 0 ? `${span} ago` : `in ${span}`;
}

export function formatDuration(seconds: number): string {
  const [size, name] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}
