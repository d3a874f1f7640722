import type { Bench } from './bench.ts';

/** The result of one contestant in one round. */
export interface Sample {
  round: number;
  contestant: string;
  figures: Record<string, number>;
}

/** A target, and whether it is met. */
export interface Verdict {
  work: string;
  /** The two sides of the ratio. */
  compares: string;
  ratio: number;
  target: { atLeast: number } | { atMost: number } | undefined;
  /** The medians behind the ratio. */
  figures: string;
}

export interface Work {
  name: string;
  /** True for long works: they run with `--only`. */
  isByNameOnly?: boolean;
  /** Number of rounds, if not the one of `--rounds`. */
  rounds?: number;
  /** Runs once before the rounds, for slow preparation shared by all of them. */
  prepare?(bench: Bench): Promise<void>;
  /** One round over all contestants, one after the other. */
  measure(bench: Bench, round: number): Promise<Sample[]>;
  judge(samples: readonly Sample[]): Verdict[];
  /** A second table for what the verdicts do not show. */
  describe?(samples: readonly Sample[]): string;
  /** An SVG for docs/images. */
  draw?(samples: readonly Sample[]): string;
}
