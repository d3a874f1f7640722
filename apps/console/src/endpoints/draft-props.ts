import type { Draft } from './endpoint-draft.ts';

/** Props of each part of the form. */
export interface DraftProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  /** Undefined if the field is valid or not checked yet. */
  mistakeAt: (path: string) => string | undefined;
}
