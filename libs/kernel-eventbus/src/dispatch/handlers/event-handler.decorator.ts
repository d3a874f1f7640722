import type { EntityManager } from '@mikro-orm/postgresql';
import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { EventDefinition, PayloadOf } from '../../envelope/define-event.js';
import type { EventEnvelope } from '../../envelope/event-envelope.js';
import type { EndpointOrdering, OnDeadLetter } from '../../endpoints/webhook-endpoint.entity.js';

const HANDLER_METADATA = 'kernel:event-handler';
const reflector = new Reflector();

export interface EventHandlerOptions {
  /** Event types that it handles, of all tenants. */
  types: readonly string[];
  /** Identifies the handler in the database. Unique in the application; never change it. */
  name: string;
  /** `stream`: the events of a stream strictly in sequence. Default: `none`. */
  ordering?: EndpointOrdering;
  /** Behaviour of an ordered handler after a dead letter. Default: `block`. */
  onDeadLetter?: OnDeadLetter;
}

/** An event as a handler gets it: `HandledEvent<typeof InvoiceCreated>`, or any event. */
export type HandledEvent<Definition extends EventDefinition = EventDefinition> = Definition extends EventDefinition
  ? Omit<EventEnvelope, 'type' | 'payload'> & {
      type: Definition['type'];
      payload: PayloadOf<Definition>;
      deliveryId: string;
      /** From 1. */
      attempt: number;
    }
  : never;

type Handles<Definition extends EventDefinition> = <
  Method extends (event: HandledEvent<Definition>, em: EntityManager) => unknown,
>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Makes a provider's method an event handler: it gets each event at least once, inside a transaction. Its writes
 * through the given or the injected EntityManager commit together with the record that the event is processed, so they
 * take effect exactly once. An error rolls them back, and the event is delivered again.
 *
 * The compiler checks the method's parameter against the definitions. `{ types }` is for types without a definition.
 */
export function EventHandler<const Definition extends EventDefinition>(
  events: Definition | readonly Definition[],
  options: Omit<EventHandlerOptions, 'types'>,
): Handles<Definition>;
export function EventHandler(options: EventHandlerOptions): MethodDecorator;
export function EventHandler(
  first: EventDefinition | readonly EventDefinition[] | EventHandlerOptions,
  options?: Omit<EventHandlerOptions, 'types'>,
): MethodDecorator {
  if (!options) {
    return SetMetadata(HANDLER_METADATA, first);
  }
  const definitions = [first as EventDefinition | readonly EventDefinition[]].flat();
  return SetMetadata(HANDLER_METADATA, { ...options, types: definitions.map(({ type }) => type) });
}

export function handlerOptionsOf(method: unknown): EventHandlerOptions | undefined {
  return typeof method === 'function'
    ? reflector.get<EventHandlerOptions | undefined>(HANDLER_METADATA, method as () => unknown)
    : undefined;
}
