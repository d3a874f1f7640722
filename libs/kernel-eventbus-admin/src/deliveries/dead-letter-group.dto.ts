import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id } from '@kernel/eventbus/engine';
import { TextOrNull } from '../text-or-null.js';
import { COUNTED_OF_TENANT, type DeadLetterGroup } from './select-dead-letter-groups.sql.js';

export class GroupQuery extends createZodDto(z.strictObject({ tenantId: Id.optional() })) {}

const Group = z.object({
  tenantId: z.guid(),
  endpointId: z.guid(),
  endpointName: TextOrNull,
  errorClass: z.string().meta({ description: 'of the last failure; the reason where nothing was ever sent' }),
  count: z.number().int(),
  more: z.boolean().meta({
    description: `true: there may be more, because the newest ${COUNTED_OF_TENANT} of a tenant are counted`,
  }),
  oldestAt: z.iso.datetime().meta({ description: 'when it was given up' }),
  newestAt: z.iso.datetime(),
});

export class GroupResponse extends createZodDto(z.object({ items: z.array(Group) })) {}

export function toGroupResponse({ oldestAt, newestAt, ...group }: DeadLetterGroup): z.input<typeof Group> {
  return { ...group, oldestAt: new Date(oldestAt).toISOString(), newestAt: new Date(newestAt).toISOString() };
}
