import { z } from 'zod';
import { EventEnvelope } from './event-envelope.js';
import { isStorableText } from './canonical-json.js';
import { TenantId } from './tenant-id.js';

const storable = (text: z.ZodString) =>
  text.refine(isStorableText, 'contains a NUL character or half a surrogate pair, which PostgreSQL cannot store');

const isStorableTime = (time: Date) => time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999;

const MAX_KEY_LENGTH = 200;

/** Trace ids are sent in a header. */
const MAX_TRACE_ID_LENGTH = 256;

/** Input of `publish`: the envelope without the fields that the outbox sets, plus fields that are never delivered. */
export const PublishableEvent = z.strictObject({
  type: storable(EventEnvelope.shape.type),
  tenantId: TenantId,
  streamKey: storable(EventEnvelope.shape.streamKey),
  payload: EventEnvelope.shape.payload.optional(),
  eventId: EventEnvelope.shape.eventId.optional(),
  occurredAt: z
    .union([z.date(), z.iso.datetime({ offset: true })])
    .refine((time) => isStorableTime(new Date(time)), 'must lie between the years 1 and 9999')
    .optional(),
  traceId: storable(EventEnvelope.shape.traceId.max(MAX_TRACE_ID_LENGTH)).optional(),
  actorId: EventEnvelope.shape.actorId,
  aggregateType: storable(z.string().min(1).max(160)).optional(),
  aggregateId: storable(z.string().min(1).max(160)).optional(),
  // Not z.json(), which recurses: serialisation finds values that JSON cannot represent.
  attributes: z.record(z.string(), z.any()).optional(),
  idempotencyKey: storable(z.string().min(1).max(MAX_KEY_LENGTH)).optional(),
});

export interface PublishableEvent {
  /** E.g. `invoice.created.v1`. */
  type: string;
  tenantId: string;
  /** Subject of the event, e.g. `invoice:42`: groups related events. */
  streamKey: string;
  /** Default: `{}`. */
  payload?: object;
  /** Default: a new UUIDv7. Supply one so that a repeat is recognised (option `deduplication`). */
  eventId?: string;
  /** Default: now. */
  occurredAt?: Date | string;
  /** Default: the trace id of the running request or of `runWithTrace`. */
  traceId?: string;
  /** User or system that caused the event. External endpoints get it only if the policy keeps `@actorId`. */
  actorId?: string;
  aggregateType?: string;
  aggregateId?: string;
  /** Facts for operators and the ledger (dataset, version, care label); never part of the webhook's body. */
  attributes?: Record<string, unknown>;
  /**
   * Publishing an equal event again under the same key and tenant returns the existing one; 1 to 200 characters. Must
   * not contain personal data: it is written to the ledger.
   */
  idempotencyKey?: string;
}
