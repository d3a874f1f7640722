import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
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

export interface HandledEvent extends EventEnvelope {
  deliveryId: string;
  /** From 1. */
  attempt: number;
}

/**
 * Makes a provider's method an event handler: it gets each event at least once, inside a transaction. Its writes
 * through the given or the injected EntityManager commit together with the record that the event is processed, so they
 * take effect exactly once. An error rolls them back, and the event is delivered again.
 */
export function EventHandler(options: EventHandlerOptions): MethodDecorator {
  return SetMetadata(HANDLER_METADATA, options);
}

export function handlerOptionsOf(method: unknown): EventHandlerOptions | undefined {
  return typeof method === 'function'
    ? reflector.get<EventHandlerOptions | undefined>(HANDLER_METADATA, method as () => unknown)
    : undefined;
}
