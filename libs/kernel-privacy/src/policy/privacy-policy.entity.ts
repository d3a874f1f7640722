import { defineEntity, p, type EntitySchema } from '@mikro-orm/core';
import type { PolicyRule } from './policy-rule.js';

/**
 * Append-only: a change is a new version. The table's unique key is `nulls not distinct`, which MikroORM can neither
 * express nor compare, so only the migration makes the versions of a default policy unique.
 */
export const PrivacyPolicyEntity = defineEntity({
  name: 'PrivacyPolicy',
  tableName: 'kernel_privacy_policy',
  properties: {
    policyId: p.uuid().primary().name('policy_id'),
    /** Null is the default of the type, for every tenant without its own policy. */
    tenantId: p.uuid().nullable().name('tenant_id'),
    eventType: p.text().name('event_type'),
    version: p.integer().name('version'),
    rules: p.json<PolicyRule[]>().name('rules'),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()').name('created_at'),
    createdBy: p.text().name('created_by'),
  },
  uniques: [{ name: 'kernel_privacy_policy_version_key', properties: ['eventType', 'tenantId', 'version'] }],
});

export const privacyEntities: EntitySchema[] = [PrivacyPolicyEntity];
