import type { Draft } from './endpoint-draft.ts';

/** What each part of the form works with. */
export interface DraftProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  /** Undefined while there is nothing to complain about. */
  mistakeAt: (path: string) => string | undefined;
}
