import { SecretAlias } from '@kernel/secrets';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id, TenantId } from '@kernel/eventbus/engine';

export class NewSecretVersion extends createZodDto(
  z.strictObject({
    tenantId: TenantId,
    alias: SecretAlias,
    value: z.string().optional().meta({
      description:
        'whsec_ and base64 of 24 to 64 bytes, whsk_ and base64 of an ed25519 key, or a credential for a header; left out, a whsec_ is made',
    }),
  }),
) {}

export class StoredSecretVersion extends createZodDto(
  z.object({
    tenantId: z.guid(),
    alias: z.string(),
    version: z.number().int(),
    value: z.string().optional().meta({ description: 'only when it was made here, and this once' }),
  }),
) {}

export class SecretVersionParams extends createZodDto(
  z.strictObject({
    alias: SecretAlias,
    version: z
      .string()
      .regex(/^[1-9]\d{0,9}$/, 'a version is a whole number from 1 on')
      .meta({ description: 'as the answer of the put or the rotation named it' }),
  }),
) {}

export class SecretOwnerQuery extends createZodDto(
  z.strictObject({
    tenantId: Id.optional().meta({ description: 'needed by an operator where several tenants use the alias' }),
  }),
) {}
