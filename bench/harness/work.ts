import type { Bench } from './bench.ts';

/** What one contestant did in one round. */
export interface Sample {
  round: number;
  contestant: string;
  figures: Record<string, number>;
}

/** A target, and how far it is met. */
export interface Verdict {
  work: string;
  /** What the ratio compares. */
  compares: string;
  ratio: number;
  target: { atLeast: number } | { atMost: number } | undefined;
  /** The medians behind the ratio. */
  figures: string;
}

export interface Work {
  name: string;
  /** Runs once before the rounds, for what takes long and is the same for all. */
  prepare?(bench: Bench): Promise<void>;
  /** One round over all contestants, one after the other. */
  measure(bench: Bench, round: number): Promise<Sample[]>;
  judge(samples: readonly Sample[]): Verdict[];
}
