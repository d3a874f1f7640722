import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { pageSchema } from '../page-schema.js';
import { type AdminTokenRow, IdCursor, Limit, storable, TenantId } from '@kernel/eventbus/engine';

const Role = z.enum(['operator', 'tenant-admin']);

export class NewToken extends createZodDto(
  z
    .strictObject({ name: storable(z.string().trim().min(1).max(120)), role: Role, tenantId: TenantId.optional() })
    .superRefine(({ role, tenantId }, context) => {
      if ((role === 'tenant-admin') !== (tenantId !== undefined)) {
        const message = role === 'operator' ? 'an operator has all tenants: leave it out' : 'which tenant is it for?';
        context.addIssue({ code: 'custom', path: ['tenantId'], message });
      }
    }),
) {}

export class TokenQuery extends createZodDto(z.strictObject({ limit: Limit, cursor: IdCursor.schema.optional() })) {}

const Token = z.object({
  tokenId: z.guid(),
  name: z.string(),
  role: Role,
  tenantId: z.guid().nullable(),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  revokedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'null: valid until it is revoked' }),
});

export class CreatedToken extends createZodDto(
  Token.extend({ token: z.string().meta({ description: 'shown this once; only its hash is kept' }) }),
) {}

export class TokenPage extends createZodDto(pageSchema(Token)) {}

export function toTokenResponse(row: AdminTokenRow): z.input<typeof Token> {
  return {
    tokenId: row.tokenId,
    name: row.name,
    role: row.role,
    tenantId: row.tenantId ?? null,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
}
