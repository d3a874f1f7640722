import { defineEvent, type EventInput } from '@kernel/eventbus';
import { z } from 'zod';
import { PLANS, RESIDENCIES, type Tenant } from './tenant.entity.js';

/** Names of the changeable fields. */
export const GOVERNED = ['name', 'plan', 'retentionDays', 'residency'] as const;
export type Governed = (typeof GOVERNED)[number];

/** Every change carries the whole state, so a projection needs no other event to apply it. */
export const governanceChanged = defineEvent({
  type: 'governance.changed.v1',
  schema: z.strictObject({
    version: z.int().min(1),
    changed: z.array(z.enum(GOVERNED)).min(1),
    governance: z.strictObject({
      name: z.string(),
      plan: z.enum(PLANS),
      retentionDays: z.int(),
      residency: z.enum(RESIDENCIES),
    }),
  }),
  privacy: { rules: [{ path: '$', action: 'keep' }] },
});

export function toGovernanceChanged(
  tenant: Tenant,
  changed: readonly Governed[],
): EventInput<typeof governanceChanged> {
  const { tenantId, version, name, plan, retentionDays, residency } = tenant;
  return {
    tenantId,
    streamKey: `tenant:${tenantId}`,
    payload: { version, changed: [...changed], governance: { name, plan, retentionDays, residency } },
  };
}
