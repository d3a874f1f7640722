import { POLICY_ACTIONS, PolicyRules, type PrivacyPolicy } from '@kernel/privacy';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { IdCursor, Limit, EventType, Id, TenantId } from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';

export class PolicyParams extends createZodDto(z.strictObject({ eventType: EventType })) {}

export class PolicyToPut extends createZodDto(
  z.strictObject({
    tenantId: TenantId.optional().meta({
      description: "left out: an operator means the type's default, a tenant admin his own",
    }),
    rules: PolicyRules,
  }),
) {}

export class PolicyQuery extends createZodDto(
  z.strictObject({ tenantId: Id.optional(), limit: Limit, cursor: IdCursor.schema.optional() }),
) {}

const Policy = z.object({
  policyId: z.guid(),
  tenantId: z.guid().nullable().meta({ description: "null: the type's default" }),
  eventType: z.string(),
  version: z.number().int(),
  // As stored, without parsing: paths were validated on input, and parsing a long list again takes too long.
  rules: z.array(
    z.object({
      path: z.string(),
      action: z.enum(POLICY_ACTIONS),
      length: z.number().int().optional(),
      decimals: z.number().int().optional(),
    }),
  ),
  createdAt: z.iso.datetime(),
});

export class PolicyResponse extends createZodDto(Policy) {}

export class PolicyPage extends createZodDto(pageSchema(Policy)) {}

export function toPolicyResponse(policy: PrivacyPolicy): z.input<typeof Policy> {
  const { policyId, tenantId, eventType, version, rules, createdAt } = policy;
  return { policyId, tenantId, eventType, version, rules, createdAt: createdAt.toISOString() };
}
