import { median } from './statistics.ts';
import type { Sample } from './work.ts';

/** A contestant's figure over all rounds. */
export function figuresOf(samples: readonly Sample[], contestant: string, figure: string): number[] {
  return samples
    .filter((sample) => sample.contestant === contestant && figure in sample.figures)
    .map((sample) => sample.figures[figure]!);
}

export function medianOf(samples: readonly Sample[], contestant: string, figure: string): number {
  return median(figuresOf(samples, contestant, figure));
}

/** The median of the per-round ratios: a machine that slows down during the run slows both sides of each. */
export function ratioOf(samples: readonly Sample[], figure: string, contestant: string, to: string): number {
  const theirs = figuresOf(samples, to, figure);
  return median(figuresOf(samples, contestant, figure).map((value, round) => value / theirs[round]!));
}
