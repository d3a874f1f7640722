import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { storable } from '@kernel/eventbus/engine';

export class SessionResponse extends createZodDto(
  z.object({
    role: z.enum(['operator', 'tenant-admin']),
    tenantId: z.guid().nullable().meta({ description: 'null: an operator, who sees all tenants' }),
    name: z.string().meta({ description: "of the token; the ledger's actor begins with it" }),
  }),
) {}

export class CodeToRedeem extends createZodDto(
  z.strictObject({ code: storable(z.string().min(1).max(200)).meta({ description: 'of the link, after #code=' }) }),
) {}

export class RedeemedCode extends createZodDto(
  z.object({
    token: z.string().meta({ description: 'shown this once; only its hash is kept' }),
    expiresAt: z.iso.datetime(),
  }),
) {}
