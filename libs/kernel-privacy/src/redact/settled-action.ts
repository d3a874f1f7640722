import type { PolicyRule } from '../policy/policy-rule.js';

/** What a rule does to the values it covers, with all it needs for that. */
export type SettledAction =
  | { kind: 'keep' }
  | { kind: 'drop' }
  | { kind: 'mask' }
  | { kind: 'hash' }
  | { kind: 'truncate'; length: number }
  | { kind: 'coarsen'; decimals: number };

/** Whatever this version does not know, or cannot do for want of a number, is `drop`: only what a rule names goes out. */
export function settledAction({ action, length, decimals }: PolicyRule): SettledAction {
  switch (action) {
    case 'keep':
    case 'mask':
    case 'hash':
      return { kind: action };
    case 'truncate':
      return length === undefined ? { kind: 'drop' } : { kind: 'truncate', length };
    case 'coarsen':
      return decimals === undefined ? { kind: 'drop' } : { kind: 'coarsen', decimals };
    default:
      return { kind: 'drop' };
  }
}
