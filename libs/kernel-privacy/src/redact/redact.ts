import type { PolicyRule } from '../policy/policy-rule.js';
import { PayloadNotObjectError } from '../privacy.errors.js';
import { copyJson, isContainer } from './copy-json.js';
import type { HashText, PendingHash } from './pending-hash.js';
import type { RemovedPath } from './removed.js';
import { compileRules, type RuleTree } from './rule-tree.js';
import { Walk, type ChangingAction } from './walk.js';

/** A path whose values went out in another form. */
export interface ChangedPath {
  path: string;
  action: ChangingAction;
}

export interface Redaction {
  payload: Record<string, unknown>;
  /** Rule-level paths, each once: the elements of an array share `[*]`. Holds member names, so do not log it. */
  removed: RemovedPath[];
  changed: ChangedPath[];
}

/** Applies rules to a payload that is not changed and not shared with the result. No rules, no fields. */
export function redact(payload: Record<string, unknown>, rules: readonly PolicyRule[], hash: HashText): Redaction {
  const { pending, ...redaction } = redactByTree(payload, compileRules(rules));
  pending.forEach((place) => place.fill(hash));
  return redaction;
}

/**
 * The same for rules that are compiled already; what is `pending` is still to be hashed. Whoever gives the payload away need not
 * have it copied.
 */
export function redactByTree(
  payload: Record<string, unknown>,
  tree: RuleTree,
  copy: (value: unknown) => unknown = copyJson,
): Redaction & { pending: readonly PendingHash[] } {
  if (!isContainer(payload) || Array.isArray(payload)) {
    throw new PayloadNotObjectError();
  }
  const walk = new Walk(copy);
  const kept = walk.payload(payload, tree);
  return {
    payload: kept,
    removed: [...walk.removed].map(([path, reason]) => ({ path, reason })),
    changed: [...walk.changed].map(([path, action]) => ({ path, action })),
    pending: walk.pending,
  };
}
