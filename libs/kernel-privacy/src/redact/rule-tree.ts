import { ACTOR_ID_PATH, parsePolicyPath } from '../policy/policy-path.js';
import type { PolicyAction, PolicyRule } from '../policy/policy-rule.js';

/** The rules of a policy arranged by path, so that a payload is walked once, and only where rules lead. */
export interface RuleTree {
  action?: PolicyAction;
  /** By member name; a Map, because a name may be `__proto__`. */
  names: Map<string, RuleTree>;
  /** For the elements of an array. */
  each?: RuleTree;
}

/** Expects rules that `PolicyRules` has accepted; a path that cannot be read is an error, never a guess. */
export function compileRules(rules: readonly PolicyRule[]): RuleTree {
  const root = emptyTree();
  for (const { path, action } of rules) {
    if (path === ACTOR_ID_PATH) {
      continue;
    }
    const parsed = parsePolicyPath(path);
    if (!parsed.ok) {
      throw new TypeError(`Validate rules with PolicyRules before they are applied: ${parsed.problem}`);
    }
    let node = root;
    for (const segment of parsed.segments) {
      node = segment.kind === 'each' ? (node.each ??= emptyTree()) : childNamed(node, segment.name);
    }
    node.action = action;
  }
  return root;
}

function childNamed(node: RuleTree, name: string): RuleTree {
  const child = node.names.get(name) ?? emptyTree();
  node.names.set(name, child);
  return child;
}

function emptyTree(): RuleTree {
  return { names: new Map() };
}
