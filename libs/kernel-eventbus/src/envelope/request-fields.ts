import { z } from 'zod';
import { isStorableText } from './canonical-json.js';
import { EventEnvelope } from './event-envelope.js';
import { TenantId as AnyTenantId } from './tenant-id.js';

/** Lower case, as PostgreSQL returns it: ids are compared as text. */
export const Id = EventEnvelope.shape.eventId.toLowerCase();

/** The tenant of a new resource. Lookups take any `Id`; an unknown one is not found. */
export const TenantId = AnyTenantId.toLowerCase();

export function storable(text: z.ZodString) {
  return text.refine(
    isStorableText,
    'contains a NUL character or half a surrogate pair, which PostgreSQL cannot store',
  );
}

export const EventType = storable(EventEnvelope.shape.type);
/** The error class of a delivery. */
export const ErrorClass = storable(z.string().min(1).max(120));
export const StreamKey = storable(EventEnvelope.shape.streamKey);
/** Reason for an action; kept in the ledger. */
export const Reason = storable(z.string().trim().min(1).max(500));
export const TraceId = storable(z.string().min(1).max(200));

/** ISO 8601 with `Z` or an offset, within the years that both PostgreSQL and `toISOString` write with four digits. */
export const Instant = z.iso.datetime({ offset: true, abort: true }).refine((text) => {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}, 'is out of range');
