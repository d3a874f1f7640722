/** Marks a value that does not go out. */
export const REMOVED = Symbol('removed');

/**
 * A path whose values were removed: no rule covers it, a `drop` rule does, a rule for values of another kind does
 * (`truncate` for text, `coarsen` for numbers), or a rule leads from there into a value of another shape.
 */
export interface RemovedPath {
  path: string;
  reason: RemovedReason;
}

export const REMOVED_REASONS = ['no-rule', 'drop', 'not-text', 'not-number', 'wrong-shape'] as const;

export type RemovedReason = (typeof REMOVED_REASONS)[number];
