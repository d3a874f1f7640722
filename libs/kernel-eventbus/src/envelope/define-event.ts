import type { EventPrivacy } from '@kernel/privacy';
import type { z } from 'zod';

export interface EventDefinition<Payload extends z.ZodType = z.ZodType> {
  /** The event's type, e.g. `invoice.created.v1`. */
  type: string;
  /** What the payload must look like; checked at publish. */
  schema?: Payload;
  /**
   * `stream` numbers the type's events within their stream, in commit order, so that endpoints can ask for that order;
   * transactions on one stream then take turns. `none` saves that. Default: `stream`.
   */
  ordering?: 'stream' | 'none';
  /**
   * What external endpoints get where no policy is stored, what no payload of the type may hold, and the labels that each
   * of its events must carry. Default: nothing goes out, nothing is forbidden or demanded.
   */
  privacy?: EventPrivacy;
  /** Whether the type's events need an `idempotencyKey`. Default: `idempotency.isKeyRequired` of the module, else `optional`. */
  idempotencyKey?: 'required' | 'optional';
  /**
   * Attributes that count as payload when an event is published again under its idempotency key, e.g. an artifact's checksum;
   * the others may differ, as the number of a run does. Default: all of them.
   */
  identifyingAttributes?: readonly string[];
}

/** Declares an event type, so that its events are checked when they are published. List it in `EventBusModule.forRoot({ events })`. */
export function defineEvent<Payload extends z.ZodType>(
  definition: EventDefinition<Payload>,
): Readonly<EventDefinition<Payload>> {
  return Object.freeze({ ...definition });
}
