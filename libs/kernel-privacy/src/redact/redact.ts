import { formatSegment } from '../path/json-path.js';
import type { PolicyAction, PolicyRule } from '../policy/policy-rule.js';
import { PayloadNotObjectError, PayloadTooDeepError } from '../privacy.errors.js';
import { copyJson, isContainer, setOwn } from './copy-json.js';
import { listLeafPaths } from './list-leaf-paths.js';
import { compileRules, type RuleTree } from './rule-tree.js';

/** A path whose values were taken out: no rule covers it, or a `drop` rule does. */
export interface RemovedPath {
  path: string;
  reason: 'no-rule' | 'drop';
}

/** A path whose values went out in another form. */
export interface ChangedPath {
  path: string;
  action: 'mask' | 'hash';
}

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

/** The same for rules that are compiled already. */
export function redactByTree(payload: Record<string, unknown>, tree: RuleTree, hash: HashText): Redaction {
  if (!isContainer(payload) || Array.isArray(payload)) {
    throw new PayloadNotObjectError();
  }
  const walk = new Walk(hash);
  const kept = walk.members(payload, tree, tree.action, '$');
  return {
    payload: kept,
    removed: [...walk.removed].map(([path, reason]) => ({ path, reason })),
    changed: [...walk.changed].map(([path, action]) => ({ path, action })),
  };
}

const REMOVED = Symbol('removed');

/** Recurses along the rules, never along the payload alone: its depth is that of the longest rule. */
class Walk {
  readonly removed = new Map<string, RemovedPath['reason']>();
  readonly changed = new Map<string, ChangedPath['action']>();

  constructor(private readonly hash: HashText) {}

  members(value: Record<string, unknown>, rules: RuleTree, inherited: PolicyAction | undefined, path: string) {
    const kept: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const below = path + formatSegment({ kind: 'name', name });
      const result = this.value(value[name], rules.names.get(name), inherited, below);
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
    inherited: PolicyAction | undefined,
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
  private settle(value: unknown, action: PolicyAction | undefined, path: string): unknown {
    switch (action) {
      case 'keep':
        return copyJson(value);
      case 'mask':
        this.changed.set(path, 'mask');
        return MASK;
      case 'hash':
        if (value === null) {
          return null;
        }
        this.changed.set(path, 'hash');
        return this.hash(textOf(value, path));
      default:
        // `drop`, no rule, and whatever this version does not know: only what a rule names goes out.
        listLeafPaths(value, path, (leaf) => this.removed.set(leaf, action === undefined ? 'no-rule' : 'drop'));
        return REMOVED;
    }
  }
}

function unlessEmpty(container: object): unknown {
  return Object.keys(container).length > 0 ? container : REMOVED;
}

/** The text that is hashed: a string as it is, anything else as JSON, so 5 and "5" hash alike. */
function textOf(value: unknown, path: string): string {
  try {
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    throw new PayloadTooDeepError(path, { cause: error });
  }
}
