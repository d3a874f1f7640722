import { z } from 'zod';
import { StoredPolicyInvalidError } from '../privacy.errors.js';
import { PolicyRules } from './policy-rule.js';

/** One version of the rules for an event type, for one tenant or (tenant null) for every tenant without its own. */
export interface PrivacyPolicy {
  policyId: string;
  tenantId: string | null;
  eventType: string;
  version: number;
  rules: PolicyRules;
  createdAt: Date;
  createdBy: string;
}

/** A row as selected by `policyColumns`. */
export interface PrivacyPolicyRow {
  policyId: string;
  tenantId: string | null;
  eventType: string;
  version: number;
  rules: string;
  createdAt: string;
  createdBy: string;
}

/** Rules are validated again on read: an action unknown to this version must not be mistaken for another. */
export function readPolicyRow(row: PrivacyPolicyRow): PrivacyPolicy {
  const rules = PolicyRules.safeParse(JSON.parse(row.rules));
  if (!rules.success) {
    throw new StoredPolicyInvalidError(row.policyId, z.prettifyError(rules.error), { cause: rules.error });
  }
  return { ...row, rules: rules.data, createdAt: new Date(row.createdAt) };
}
