import { keepLabels } from '../classification/labels.js';
import { keepsActorId, type PolicyRule } from '../policy/policy-rule.js';
import { compileRules, type RuleTree } from './rule-tree.js';

/** The part of a policy that redaction needs; a preview can make one up. */
export interface AppliedPolicy {
  policyId: string | null;
  version: number | null;
  rules: readonly PolicyRule[];
}

/** A policy made ready to be applied many times. */
export interface CompiledPolicy {
  /** Null: it is not stored, but the type's own, or there is none. */
  policyId: string | null;
  /** 0 is the type's own, null is none at all. */
  version: number | null;
  tree: RuleTree;
  keepsActorId: boolean;
  /** The payload goes out as it is: it need not even be read. */
  keepsPayload: boolean;
}

/** Labels go out whatever the rules say. */
export function compilePolicy(
  { policyId, version, rules: given }: AppliedPolicy,
  labels: readonly string[] = [],
): CompiledPolicy {
  const rules = keepLabels(given, labels);
  const ofPayload = rules.filter(({ path }) => path.startsWith('$'));
  return {
    policyId,
    version,
    tree: compileRules(rules, labels),
    keepsActorId: keepsActorId(rules),
    keepsPayload: ofPayload.some(({ path }) => path === '$') && ofPayload.every(({ action }) => action === 'keep'),
  };
}
