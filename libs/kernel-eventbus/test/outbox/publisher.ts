import { randomUUID } from 'node:crypto';
import { defineEvent } from '../../src/envelope/define-event.js';
import type { EventBusOptions } from '../../src/eventbus.options.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import { type PublishedEvent } from '../../src/outbox/to-envelope.js';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import type { TestDatabase } from '@kernel/test-support/test-database';

export const ORDERED = 'order.placed.v1';
export const UNORDERED = 'order.seen.v1';

/** A separate app on the shared database, like another process. */
export function startPublisher(database: TestDatabase, options: Partial<EventBusOptions> = {}): Promise<KernelApp> {
  const events = [defineEvent({ type: UNORDERED, ordering: 'none' })];
  return startKernelApp({ role: 'api', database, events, ...options });
}

export const tenantId = randomUUID();

/** Stream and payload are derived from the id. */
export function order(eventId: string, more: Partial<PublishableEvent> = {}): PublishableEvent {
  const streamKey = `order:${eventId}`;
  return { type: ORDERED, tenantId, streamKey, traceId: 'trace-0001', payload: { eventId }, eventId, ...more };
}

/** Publishes in its own transaction. */
export function publish(kernel: KernelApp, ...events: PublishableEvent[]): Promise<PublishedEvent[]> {
  return kernel.em.fork().transactional((em) => kernel.outbox.publishAll(events, { em }));
}

export interface WrittenEvent {
  event_id: string;
  trace_id: string;
  stream_sequence: string | null;
}

/** Outbox rows with these ids, by sequence. */
export function written(database: TestDatabase, ...eventIds: string[]): Promise<WrittenEvent[]> {
  return database.query(
    `select event_id, trace_id, stream_sequence::text from kernel_outbox_event where event_id = any($1)
     order by kernel_outbox_event.stream_sequence`,
    [eventIds],
  );
}

export async function lastSequence(database: TestDatabase, streamKey: string): Promise<number | undefined> {
  const [stream] = await database.query<{ last: number }>(
    'select last_sequence::int as last from kernel_stream where stream_key = $1',
    [streamKey],
  );
  return stream?.last;
}
