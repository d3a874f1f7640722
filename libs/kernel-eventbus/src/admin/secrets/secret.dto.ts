import { SecretAlias } from '@kernel/secrets';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id } from '../request-fields.js';

export class NewSigningSecret extends createZodDto(
  z.strictObject({
    tenantId: Id,
    alias: SecretAlias,
    value: z.string().optional().meta({ description: 'whsec_ and base64 of 24 to 64 bytes; left out, one is made' }),
  }),
) {}

export class StoredSigningSecret extends createZodDto(
  z.object({
    tenantId: z.guid(),
    alias: z.string(),
    version: z.number().int(),
    value: z.string().optional().meta({ description: 'only when it was made here, and this once' }),
  }),
) {}
