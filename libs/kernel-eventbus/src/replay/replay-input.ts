import { z } from 'zod';
import { ErrorClass, EventType, Id, Instant, Reason } from '../envelope/request-fields.js';

const request = {
  reason: Reason.meta({ description: 'why; kept in the ledger with who asked' }),
  dryRun: z.boolean().optional().meta({ description: 'true counts the deliveries and changes nothing' }),
};

export const ReplayDeliveryRequest = z.strictObject({ reason: Reason });

/** `since` is the time of dead-lettering for `recover`, and the time of the event's creation for `replay-missing`. */
export const EndpointOperationRequest = z.strictObject({ since: Instant, ...request });

const Filter = z
  .strictObject({
    status: z
      .enum(['DELIVERED', 'DLQ'], { error: 'must be DELIVERED or DLQ: only what is settled can be replayed' })
      .optional(),
    endpointId: Id.optional(),
    type: EventType.optional(),
    errorClass: ErrorClass.optional(),
    tenantId: Id.optional(),
    since: Instant.optional(),
    until: Instant.optional(),
    all: z.literal(true).optional(),
  })
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    error: 'is empty: name at least one condition, or say { "all": true }',
  })
  .refine(({ all, ...conditions }) => !all || Object.values(conditions).every((value) => value === undefined), {
    error: 'says all and names conditions: decide for one',
  });

export const BulkReplayRequest = z.strictObject({ filter: Filter, ...request });
