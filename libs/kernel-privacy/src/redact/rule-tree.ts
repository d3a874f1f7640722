import { isEnvelopePath, parsePolicyPath, type PathSegment } from '../policy/policy-path.js';
import type { PolicyRule } from '../policy/policy-rule.js';
import { settledAction, type SettledAction } from './settled-action.js';

/** The rules of a policy arranged by path, so one walk visits only the parts of the payload that rules reach. */
export interface RuleTree {
  action?: SettledAction;
  /** By member name; a Map, because a name may be `__proto__`. */
  names: Map<string, RuleTree>;
  /** For the elements of an array. */
  each?: RuleTree;
  /** A rule other than keep continues with a name: only an object is valid here. */
  guardsMembers: boolean;
  /** A rule other than keep continues with `[*]`: only an array is valid here. */
  guardsElements: boolean;
  /** The labels below this node: they go out even from a value of the wrong shape. */
  labels?: RuleTree;
}

/**
 * Expects rules accepted by `PolicyRules`; an unreadable path is an error, never a guess. `labels` are paths that the
 * rules keep.
 */
export function compileRules(rules: readonly PolicyRule[], labels: readonly string[] = []): RuleTree {
  const root = emptyTree();
  for (const rule of rules) {
    if (!isEnvelopePath(rule.path)) {
      addRule(root, rule);
    }
  }
  for (const path of labels) {
    addLabel(root, path);
  }
  return root;
}

function addRule(root: RuleTree, rule: PolicyRule): void {
  const action = settledAction(rule);
  const guards = action.kind !== 'keep';
  let node = root;
  for (const segment of segmentsOf(rule.path)) {
    node.guardsMembers ||= guards && segment.kind === 'name';
    node.guardsElements ||= guards && segment.kind === 'each';
    node = childAt(node, segment);
  }
  node.action = action;
}

function addLabel(root: RuleTree, path: string): void {
  let node = root;
  let label = (root.labels ??= emptyTree());
  for (const segment of segmentsOf(path)) {
    node = childAt(node, segment);
    label = childAt(label, segment);
    node.labels = label;
  }
  label.action = { kind: 'keep' };
}

function segmentsOf(path: string): readonly PathSegment[] {
  const parsed = parsePolicyPath(path);
  if (!parsed.ok) {
    throw new TypeError(`Validate rules with PolicyRules before they are applied: ${parsed.problem}`);
  }
  return parsed.segments;
}

function childAt(node: RuleTree, segment: PathSegment): RuleTree {
  if (segment.kind === 'each') {
    return (node.each ??= emptyTree());
  }
  const child = node.names.get(segment.name) ?? emptyTree();
  node.names.set(segment.name, child);
  return child;
}

function emptyTree(): RuleTree {
  return { names: new Map(), guardsMembers: false, guardsElements: false };
}
