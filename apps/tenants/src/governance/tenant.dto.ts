import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { PLANS, RESIDENCIES, type Tenant } from './tenant.entity.js';

const TEN_YEARS_DAYS = 3_650;

const name = z.string().min(1).max(120);
const plan = z.enum(PLANS);
const retentionDays = z.int().min(1).max(TEN_YEARS_DAYS);
const residency = z.enum(RESIDENCIES);

export class CreateTenantDto extends createZodDto(
  z.strictObject({
    name,
    plan: plan.default('FREE'),
    retentionDays: retentionDays.default(30),
    residency,
  }),
) {}

export class ChangeGovernanceDto extends createZodDto(
  z
    .strictObject({ name, plan, retentionDays, residency })
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'name at least one of name, plan, retentionDays, residency'),
) {}

export class TenantParamsDto extends createZodDto(z.strictObject({ id: z.guid() })) {}

export class TenantDto extends createZodDto(
  z.object({
    tenantId: z.guid(),
    name,
    plan,
    retentionDays,
    residency,
    version: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
) {}

export function toTenantDto({ createdAt, updatedAt, ...tenant }: Tenant): TenantDto {
  return {
    ...{ tenantId: tenant.tenantId, name: tenant.name, plan: tenant.plan, retentionDays: tenant.retentionDays },
    ...{ residency: tenant.residency, version: tenant.version },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
