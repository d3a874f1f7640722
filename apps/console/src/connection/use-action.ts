import { useState } from 'preact/hooks';
import { asProblem } from './admin-api.ts';
import type { Problem } from './problem.ts';

export interface Action<Args extends unknown[]> {
  run: (...args: Args) => Promise<void>;
  isRunning: boolean;
  problem: Problem | undefined;
  clear: () => void;
}

/** Work that a button starts: one run at a time; its problem is kept for display. */
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
