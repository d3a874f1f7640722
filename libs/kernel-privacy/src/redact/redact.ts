import type { PolicyRule } from '../policy/policy-rule.js';
import { PayloadNotObjectError } from '../privacy.errors.js';
import { copyJson, isContainer } from './copy-json.js';
import type { HashText, PendingHash } from './pending-hash.js';
import type { RemovedPath } from './removed.js';
import { compileRules, type RuleTree } from './rule-tree.js';
import { Walk, type ChangingAction } from './walk.js';

/** A path whose values were replaced. */
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

/** Applies rules to a copy of the payload. Without rules no field goes out. */
export function redact(payload: Record<string, unknown>, rules: readonly PolicyRule[], hash: HashText): Redaction {
  const { pending, ...redaction } = redactByTree(payload, compileRules(rules));
  pending.forEach((place) => place.fill(hash));
  return redaction;
}

/**
 * The same for compiled rules; `pending` values are not hashed yet. A caller that gives up the payload can skip the
 * copy.
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
