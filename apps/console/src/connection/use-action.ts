import { useState } from 'preact/hooks';
import { asProblem } from './admin-api.ts';
import type { Problem } from './problem.ts';

export interface Action<Args extends unknown[]> {
  run: (...args: Args) => Promise<void>;
  isRunning: boolean;
  problem: Problem | undefined;
  clear: () => void;
}

/** Something that a button starts: one at a time, and what went wrong is kept to be shown. */
export function useAction<Args extends unknown[]>(work: (...args: Args) => Promise<void>): Action<Args> {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  return {
    isRunning,
    problem,
    clear: () => setProblem(undefined),
    run: async (...args) => {
      if (isRunning) return;
      setRunning(true);
      setProblem(undefined);
      try {
        await work(...args);
      } catch (error) {
        setProblem(asProblem(error));
      } finally {
        setRunning(false);
      }
    },
  };
}
