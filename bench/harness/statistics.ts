export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Nearest rank with interpolation between neighbours. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)] ?? NaN;
  const above = sorted[Math.ceil(place)] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}
