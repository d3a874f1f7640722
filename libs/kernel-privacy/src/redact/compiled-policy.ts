import { keepsActorId, type PolicyRule } from '../policy/policy-rule.js';
import { compileRules, type RuleTree } from './rule-tree.js';

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
  hashes: boolean;
}

export function compilePolicy(
  { policyId, version }: Pick<CompiledPolicy, 'policyId' | 'version'>,
  rules: readonly PolicyRule[],
): CompiledPolicy {
  const ofPayload = rules.filter(({ path }) => path.startsWith('$'));
  return {
    policyId,
    version,
    tree: compileRules(rules),
    keepsActorId: keepsActorId(rules),
    keepsPayload: ofPayload.some(({ path }) => path === '$') && ofPayload.every(({ action }) => action === 'keep'),
    hashes: ofPayload.some(({ action }) => action === 'hash'),
  };
}
