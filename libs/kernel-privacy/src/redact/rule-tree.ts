import { ACTOR_ID_PATH, parsePolicyPath, type PathSegment } from '../policy/policy-path.js';
import type { PolicyRule } from '../policy/policy-rule.js';
import { settledAction, type SettledAction } from './settled-action.js';

/** The rules of a policy arranged by path, so that a payload is walked once, and only where rules lead. */
export interface RuleTree {
  action?: SettledAction;
  /** By member name; a Map, because a name may be `__proto__`. */
  names: Map<string, RuleTree>;
  /** For the elements of an array. */
  each?: RuleTree;
}

/** Expects rules that `PolicyRules` has accepted; a path that cannot be read is an error, never a guess. */
export function compileRules(rules: readonly PolicyRule[]): RuleTree {
  const root = emptyTree();
  for (const rule of rules) {
    if (rule.path !== ACTOR_ID_PATH) {
      nodeAt(root, segmentsOf(rule.path)).action = settledAction(rule);
    }
  }
  return root;
}

function segmentsOf(path: string): PathSegment[] {
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) {
    throw new TypeError(`Validate rules with PolicyRules before they are applied: ${parsed.problem}`);
  }
  return parsed.segments;
}

function nodeAt(root: RuleTree, segments: readonly PathSegment[]): RuleTree {
  return segments.reduce(
    (node, segment) => (segment.kind === 'each' ? (node.each ??= emptyTree()) : childNamed(node, segment.name)),
    root,
  );
}

function childNamed(node: RuleTree, name: string): RuleTree {
  const child = node.names.get(name) ?? emptyTree();
  node.names.set(name, child);
  return child;
}

function emptyTree(): RuleTree {
  return { names: new Map() };
}
