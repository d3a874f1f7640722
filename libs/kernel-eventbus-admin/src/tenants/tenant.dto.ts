import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { IdCursor, Limit } from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';

export class TenantQuery extends createZodDto(z.strictObject({ limit: Limit, cursor: IdCursor.schema.optional() })) {}

const Tenant = z.object({
  tenantId: z.guid(),
  endpoints: z.number().int().meta({ description: 'that are not deleted' }),
});

export class TenantPage extends createZodDto(pageSchema(Tenant)) {}
