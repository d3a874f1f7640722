import { randomUUID } from 'node:crypto';
import { newId } from '@kernel/runtime';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { insertEvents } from '../../src/outbox/events.sql.js';
import type { PreparedEvent } from '../../src/outbox/prepare-event.js';

/** Room for two small events. */
const SLICE = 2_100;

describe('a transaction with more events than one statement takes', () => {
  const tenantId = randomUUID();
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  const event = (streamKey: string): PreparedEvent => ({
    eventId: newId(),
    tenantId,
    streamKey,
    type: 'order.placed.v1',
    occurredAt: new Date().toISOString(),
    traceId: 'trace-0001',
    actorId: null,
    payloadJson: '{}',
    payloadHash: '',
    aggregateType: null,
    aggregateId: null,
    attributesJson: '{}',
    idempotencyKey: null,
    traceParent: null,
    traceState: null,
    isSequenced: true,
    isIdSupplied: false,
  });
  const insert = (events: PreparedEvent[]) =>
    kernel.em
      .fork()
      .getKysely<unknown>()
      .transaction()
      .execute((trx) => insertEvents(trx, events, SLICE));
  const sequences = async (eventIds: string[]) => {
    const rows = await kernel.database.query<{ event_id: string; stream_sequence: string }>(
      'select event_id, stream_sequence from kernel_outbox_event where event_id = any($1)',
      [eventIds],
    );
    const byId = new Map(rows.map((row) => [row.event_id, Number(row.stream_sequence)]));
    return eventIds.map((eventId) => byId.get(eventId));
  };

  it('numbers the events of every stream in the order of publication', async () => {
    const events = ['b', 'a', 'b', 'c', 'a', 'b', 'b'].map(event);
    await insert(events);
    expect(await sequences(events.map(({ eventId }) => eventId))).toEqual([1, 1, 2, 1, 2, 3, 4]);
  });

  it('never deadlocks with another one that publishes to the same streams in another order', async () => {
    const streams = Array.from({ length: 20 }, (_, place) => `stream ${place}`);
    const transactions = Array.from({ length: 16 }, (_, place) => (place % 2 ? streams.toReversed() : streams));
    await Promise.all(transactions.map((order) => insert(order.map(event))));
    const [last] = await kernel.database.query<{ last: string[] }>(
      `select array_agg(distinct last_sequence) as last from kernel_stream where stream_key like 'stream %'`,
    );
    expect(last!.last.map(Number)).toEqual([16]);
  });
});
