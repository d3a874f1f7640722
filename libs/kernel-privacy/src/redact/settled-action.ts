import type { PolicyRule } from '../policy/policy-rule.js';

/** The action of a rule with its parameters. */
export type SettledAction =
  | { kind: 'keep' }
  | { kind: 'drop' }
  | { kind: 'mask' }
  | { kind: 'hash' }
  | { kind: 'truncate'; length: number }
  | { kind: 'coarsen'; decimals: number };

/** An action that is unknown to this version or lacks its number is `drop`: only values named by a rule go out. */
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
