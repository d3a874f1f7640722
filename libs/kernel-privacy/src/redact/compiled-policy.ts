import { keepLabels } from './labels.js';
import { keepsActorId, streamKeyAction, type PolicyRule } from '../policy/policy-rule.js';
import { compileRules, type RuleTree } from './rule-tree.js';

/** The part of a policy that redaction needs; a preview can build one by hand. */
export interface AppliedPolicy {
  policyId: string | null;
  version: number | null;
  rules: readonly PolicyRule[];
}

/** A policy prepared for repeated use. */
export interface CompiledPolicy {
  /** Null: not stored, either the type's own policy or none. */
  policyId: string | null;
  /** 0 is the type's own policy, null is none. */
  version: number | null;
  tree: RuleTree;
  keepsActorId: boolean;
  streamKeyAction: ReturnType<typeof streamKeyAction>;
  /** True if the payload goes out unchanged: it need not be parsed. */
  keepsPayload: boolean;
}

/** Labels are kept under any rules. */
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
    streamKeyAction: streamKeyAction(rules),
    keepsPayload: ofPayload.some(({ path }) => path === '$') && ofPayload.every(({ action }) => action === 'keep'),
  };
}
