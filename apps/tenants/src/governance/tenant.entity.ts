import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

export const PLANS = ['FREE', 'STANDARD', 'ENTERPRISE'] as const;
export type Plan = (typeof PLANS)[number];

export const RESIDENCIES = ['EU', 'US', 'APAC'] as const;
export type Residency = (typeof RESIDENCIES)[number];

/** A customer of the platform, and the governance of its data. */
export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenant',
  checks: [
    { name: 'tenant_plan_check', expression: "plan in ('FREE', 'STANDARD', 'ENTERPRISE')" },
    { name: 'tenant_residency_check', expression: "residency in ('EU', 'US', 'APAC')" },
  ],
  properties: {
    tenantId: p.uuid().primary(),
    name: p.text(),
    plan: p.text().$type<Plan>(),
    retentionDays: p.integer(),
    residency: p.text().$type<Residency>(),
    /** Number of changes, including the creation. */
    version: p.integer(),
    createdAt: p.datetime().columnType('timestamptz'),
    updatedAt: p.datetime().columnType('timestamptz'),
  },
});
export type Tenant = InferEntity<typeof TenantEntity>;
