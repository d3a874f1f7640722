import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { EventEnvelope } from '../envelope/event-envelope.js';
import type { EndpointOrdering, OnDeadLetter } from '../routing/webhook-endpoint.entity.js';

const HANDLER_METADATA = 'kernel:event-handler';
const reflector = new Reflector();

export interface EventHandlerOptions {
  /** The event types it takes, of all tenants. */
  types: readonly string[];
  /** Known to the database by this name: what it has processed, what waits for it. Unique in the application, and kept for ever. */
  name: string;
  /** `stream`: the events of a stream strictly one after the other. Default: `none`. */
  ordering?: EndpointOrdering;
  /** What an ordered handler does when an event lands in the DLQ. Default: `block`. */
  onDeadLetter?: OnDeadLetter;
}

export interface HandledEvent extends EventEnvelope {
  deliveryId: string;
  /** Counted from 1. */
  attempt: number;
}

/**
 * Makes a provider's method a handler of events: it gets each event at least once, inside a transaction. What it writes with the
 * EntityManager it is given, or with the injected one, commits together with the record that the event is processed, so its
 * effect happens exactly once. What it throws rolls all of it back, and the event comes again.
 */
export function EventHandler(options: EventHandlerOptions): MethodDecorator {
  return SetMetadata(HANDLER_METADATA, options);
}

export function handlerOptionsOf(method: unknown): EventHandlerOptions | undefined {
  return typeof method === 'function'
    ? reflector.get<EventHandlerOptions | undefined>(HANDLER_METADATA, method as () => unknown)
    : undefined;
}
