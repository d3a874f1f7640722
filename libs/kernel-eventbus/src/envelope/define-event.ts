import type { EventPrivacy } from '@kernel/privacy';
import type { z } from 'zod';
import type { PublishableEvent } from './publishable-event.js';

export interface EventDefinition<Type extends string = string, Schema extends z.ZodType = z.ZodType> {
  /** The event's type, e.g. `invoice.created.v1`. */
  type: Type;
  /** Schema of the payload, as JSON; checked at publish. The payload is stored as published, without its transforms. */
  schema?: Schema;
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

/** A declared type, whose events the compiler checks. */
export interface DefinedEvent<Type extends string = string, Schema extends z.ZodType = z.ZodType> extends Readonly<
  EventDefinition<Type, Schema>
> {
  /** An event of this type, for `publishAll` of several types. */
  of(event: EventFields<Schema>): PublishableEvent;
}

type SchemaOf<Definition extends EventDefinition> =
  Definition extends EventDefinition<string, infer Schema> ? Schema : never;

/** The payload of a type's events, as published. */
export type PayloadOf<Definition extends EventDefinition> =
  unknown extends z.input<SchemaOf<Definition>> ? Record<string, unknown> : z.input<SchemaOf<Definition>>;

/** The fields of an event of this type. The payload may be left out where the schema accepts `{}`. */
export type EventInput<Definition extends EventDefinition> = EventFields<SchemaOf<Definition>>;

type EventFields<Schema extends z.ZodType> = Omit<PublishableEvent, 'type' | 'payload'> &
  // Without a schema any object is a payload: an interface has no index signature, so it is not a Record.
  (unknown extends z.input<Schema>
    ? { payload?: object }
    : Record<never, never> extends z.input<Schema>
      ? { payload?: z.input<Schema> }
      : { payload: z.input<Schema> });

/** Declares an event type, so that publish checks its events. List it in `EventBusModule.forRoot({ events })`. */
export function defineEvent<const Type extends string, Schema extends z.ZodType = z.ZodType>(
  definition: EventDefinition<Type, Schema>,
): DefinedEvent<Type, Schema> {
  const { type } = definition;
  return Object.freeze({
    ...definition,
    of: (event: EventFields<Schema>) => ({ ...event, type }) as PublishableEvent,
  });
}

export function isDefinedEvent(value: DefinedEvent | PublishableEvent): value is DefinedEvent {
  return typeof (value as Partial<DefinedEvent>).of === 'function';
}
