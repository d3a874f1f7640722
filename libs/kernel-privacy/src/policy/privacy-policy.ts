import { z } from 'zod';
import { StoredPolicyInvalidError } from '../privacy.errors.js';
import { PolicyRules } from './policy-rule.js';

/** One version of the rules for an event type, of one tenant or (tenant null) of every tenant without its own. */
export interface PrivacyPolicy {
  policyId: string;
  tenantId: string | null;
  eventType: string;
  version: number;
  rules: PolicyRules;
  createdAt: Date;
  createdBy: string;
}

/** What the statements select: `policyColumns`. */
export interface PrivacyPolicyRow {
  policyId: string;
  tenantId: string | null;
  eventType: string;
  version: number;
  rules: string;
  createdAt: string;
  createdBy: string;
}

/** Rules are checked again when read: an action that this version does not know must not pass for another. */
export function readPolicyRow(row: PrivacyPolicyRow): PrivacyPolicy {
  const rules = PolicyRules.safeParse(JSON.parse(row.rules));
  if (!rules.success) {
    throw new StoredPolicyInvalidError(row.policyId, z.prettifyError(rules.error), { cause: rules.error });
  }
  return { ...row, rules: rules.data, createdAt: new Date(row.createdAt) };
}
