import type { PolicyRule } from '../policy/policy-rule.js';
import { PayloadNotObjectError } from '../privacy.errors.js';
import { changeLeaves } from './change-leaves.js';
import { coarsenNumber, truncateText } from './change-scalar.js';
import { copyJson, isContainer, setOwn } from './copy-json.js';
import { listLeafPaths, pathBelow } from './list-leaf-paths.js';
import { REMOVED, type RemovedPath, type RemovedReason } from './removed.js';
import { compileRules, type RuleTree } from './rule-tree.js';
import type { SettledAction } from './settled-action.js';
import { writeJson } from './write-json.js';

/** A path whose values went out in another form. */
export interface ChangedPath {
  path: string;
  action: ChangingAction;
}

export const CHANGING_ACTIONS = ['mask', 'hash', 'truncate', 'coarsen'] as const;

export type ChangingAction = (typeof CHANGING_ACTIONS)[number];

export interface Redaction {
  payload: Record<string, unknown>;
  /** Rule-level paths, each once: the elements of an array share `[*]`. Holds member names, so do not log it. */
  removed: RemovedPath[];
  changed: ChangedPath[];
}

/** Turns the text form of a value into what stands in its place; see `hmacSha256`. */
export type HashText = (text: string) => string;

export const MASK = '***';

/** Applies rules to a payload that is not changed and not shared with the result. No rules, no fields. */
export function redact(payload: Record<string, unknown>, rules: readonly PolicyRule[], hash: HashText): Redaction {
  return redactByTree(payload, compileRules(rules), hash);
}

/** The same for rules that are compiled already. Whoever gives the payload away need not have it copied. */
export function redactByTree(
  payload: Record<string, unknown>,
  tree: RuleTree,
  hash: HashText,
  copy: (value: unknown) => unknown = copyJson,
): Redaction {
  if (!isContainer(payload) || Array.isArray(payload)) {
    throw new PayloadNotObjectError();
  }
  const walk = new Walk(hash, copy);
  const kept = walk.members(payload, tree, tree.action, '$');
  return {
    payload: kept,
    removed: [...walk.removed].map(([path, reason]) => ({ path, reason })),
    changed: [...walk.changed].map(([path, action]) => ({ path, action })),
  };
}

/** Recurses along the rules, never along the payload alone: its depth is that of the longest rule. */
class Walk {
  readonly removed = new Map<string, RemovedReason>();
  readonly changed = new Map<string, ChangingAction>();

  constructor(
    private readonly hash: HashText,
    private readonly copy: (value: unknown) => unknown,
  ) {}

  members(value: Record<string, unknown>, rules: RuleTree, inherited: SettledAction | undefined, path: string) {
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const result = this.value(value[name], rules.names.get(name), inherited, pathBelow(path, value, name));
      if (result !== REMOVED) {
        setOwn(kept, name, result);
      }
    }
    return kept;
  }

  /** The most specific rule wins: the one at this very place, or else the nearest above it. */
  private value(
    value: unknown,
    rules: RuleTree | undefined,
    inherited: SettledAction | undefined,
    path: string,
  ): unknown {
    const action = rules?.action ?? inherited;
    if (rules?.each && Array.isArray(value) && value.length > 0) {
      const kept = value.map((element) => this.value(element, rules.each, action, `${path}[*]`));
      return unlessEmpty(kept.filter((element) => element !== REMOVED));
    }
    if (rules?.names.size && isContainer(value) && !Array.isArray(value) && Object.keys(value).length > 0) {
      return unlessEmpty(this.members(value, rules, action, path));
    }
    return this.settle(value, action, path);
  }

  /** No rule leads further down: the action covers the whole value. */
  private settle(value: unknown, action: SettledAction | undefined, path: string): unknown {
    switch (action?.kind) {
      case 'keep':
        return this.copy(value);
      case 'mask':
        this.changed.set(path, 'mask');
        return MASK;
      case 'hash':
        if (value === null) {
          return null;
        }
        this.changed.set(path, 'hash');
        // A string as it is, anything else as JSON, so 5 and "5" hash alike.
        return this.hash(typeof value === 'string' ? value : writeJson(value));
      case 'truncate':
        return changeLeaves(value, path, (leaf, leafPath) =>
          typeof leaf === 'string'
            ? this.replace(leaf, truncateText(leaf, action.length), path, 'truncate')
            : this.leave(leaf, leafPath, 'not-text'),
        );
      case 'coarsen':
        return changeLeaves(value, path, (leaf, leafPath) =>
          typeof leaf === 'number'
            ? this.replace(leaf, coarsenNumber(leaf, action.decimals), path, 'coarsen')
            : this.leave(leaf, leafPath, 'not-number'),
        );
      case 'drop':
      case undefined:
        listLeafPaths(value, path, (leaf) => this.removed.set(leaf, action ? 'drop' : 'no-rule'));
        return REMOVED;
    }
  }

  private replace<T>(leaf: T, changed: T, path: string, action: ChangingAction): T {
    if (leaf !== changed) {
      this.changed.set(path, action);
    }
    return changed;
  }

  /** Null tells nothing; any other value of a kind that the rule is not for stays inside. */
  private leave(leaf: unknown, path: string, reason: RemovedReason): unknown {
    if (leaf === null) {
      return null;
    }
    this.removed.set(path, reason);
    return REMOVED;
  }
}

function unlessEmpty(container: object): unknown {
  return Object.keys(container).length > 0 ? container : REMOVED;
}
