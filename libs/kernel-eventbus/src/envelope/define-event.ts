import type { EventPrivacy } from '@kernel/privacy';
import type { z } from 'zod';

export interface EventDefinition<Payload extends z.ZodType = z.ZodType> {
  /** The event's type, e.g. `invoice.created.v1`. */
  type: string;
  /** Schema of the payload; checked at publish. */
  schema?: Payload;
  /**
   * `stream` numbers the type's events within their stream, in commit order, so that endpoints can ask for that order;
   * transactions on one stream then take turns. `none` avoids that. Default: `stream`.
   */
  ordering?: 'stream' | 'none';
  /**
   * Fields that external endpoints get if no policy is stored, fields that payloads must not contain, and labels that
   * every event must carry. Default: nothing is sent, forbidden or required.
   */
  privacy?: EventPrivacy;
  /** Whether the type's events need an `idempotencyKey`. Default: the module's `idempotency.isKeyRequired`. */
  idempotencyKey?: 'required' | 'optional';
  /**
   * Attributes that are compared like the payload when an event is published again under its idempotency key, e.g. an
   * artifact's checksum; the others may differ, e.g. the number of a run. Default: all of them.
   */
  identifyingAttributes?: readonly string[];
}

/** Declares an event type, so that publish checks its events. List it in `EventBusModule.forRoot({ events })`. */
export function defineEvent<Payload extends z.ZodType>(
  definition: EventDefinition<Payload>,
): Readonly<EventDefinition<Payload>> {
  return Object.freeze({ ...definition });
}
