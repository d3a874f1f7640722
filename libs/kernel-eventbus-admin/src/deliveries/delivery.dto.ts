import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { DeliveryStatus, WebhookDelivery } from '@kernel/eventbus';
import {
  IdCursor,
  Limit,
  ErrorClass,
  EventType,
  Id,
  Instant,
  ReplayDeliveryRequest as ReplayDeliveryRequestSchema,
  StreamKey,
  TraceId,
} from '@kernel/eventbus/engine';
import { pageSchema } from '../page-schema.js';
import { TextOrNull } from '../text-or-null.js';

export class DeliveryQuery extends createZodDto(
  z.strictObject({
    tenantId: Id.optional(),
    status: DeliveryStatus.optional(),
    endpointId: Id.optional(),
    eventId: Id.optional(),
    type: EventType.optional(),
    errorClass: ErrorClass.optional(),
    traceId: TraceId.optional(),
    streamKey: StreamKey.optional(),
    since: Instant.optional(),
    until: Instant.optional(),
    limit: Limit,
    cursor: IdCursor.schema.optional(),
  }),
) {}

export class ReplayDeliveryRequest extends createZodDto(ReplayDeliveryRequestSchema) {}

export const Delivery = WebhookDelivery.extend({
  eventType: z.string(),
  errorClass: TextOrNull,
  lastError: TextOrNull,
  lastErrorRef: TextOrNull.meta({ description: 'the id of the ledger entry with the details' }),
  lastErrorAt: z.iso.datetime().nullable(),
  deadLetterReason: TextOrNull,
  isParked: z.boolean().meta({ description: 'waits until its endpoint is enabled again' }),
  dispatchedAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
});
export type Delivery = z.infer<typeof Delivery>;

export const LoggedAttempt = z.object({
  attempt: z.number().int(),
  at: z.iso.datetime(),
  statusCode: z.number().int().nullable(),
  latencyMs: z.number().int().nullable(),
  errorClass: TextOrNull,
  responseExcerpt: TextOrNull,
  policyVersion: z.number().int().nullable(),
  bodySha256: TextOrNull,
});
export type LoggedAttempt = z.infer<typeof LoggedAttempt>;

export class DeliveryResponse extends createZodDto(Delivery) {}

export class DeliveryPage extends createZodDto(pageSchema(Delivery)) {}

/** Replays are unlimited, with up to a hundred attempts each. */
export const MAX_LOGGED_ATTEMPTS = 200;

export class DeliveryWithAttempts extends createZodDto(
  Delivery.extend({
    attemptLog: z.array(LoggedAttempt).meta({
      description: `the last ${MAX_LOGGED_ATTEMPTS}, oldest first; GET /audit?deliveryId=...&kind=attempt lists all`,
    }),
  }),
) {}
