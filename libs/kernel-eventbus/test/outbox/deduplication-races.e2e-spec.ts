import { randomUUID } from 'node:crypto';
import { DuplicateEventIdError, EventIdReusedError } from '../../src/eventbus.errors.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import { waitFor } from '@kernel/eventbus/testing';
import { IsolationLevel, TransactionPropagation } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { CommitGate } from './commit-gate.js';
import { lastSequence, order, ORDERED, publish, startPublisher, UNORDERED, written } from './publisher.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const oneIsWaiting = () =>
  waitFor(async () => {
    const waiting = await database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  }, 'a transaction that waits for another');

describe('repeats at the same time', () => {
  let one: KernelApp;
  let other: KernelApp;
  let commits: CommitGate;
  beforeAll(async () => {
    one = await startPublisher(database, { deduplication: { scope: 'tenant' } });
    other = await startPublisher(database, { deduplication: { scope: 'tenant' } });
    commits = new CommitGate(one.em);
    await database.query('create table test_note (note text not null)');
  });
  afterAll(async () => {
    await one.close();
    await other.close();
  });

  const note = async (em: EntityManager, text: string) => em.execute('insert into test_note values (?)', [text]);
  const notes = async (text: string) => (await database.query('select from test_note where note = $1', [text])).length;

  it.each([
    ['in a stream', ORDERED, '1', '2'],
    ['outside of streams', UNORDERED, null, null],
  ])('[SC-010] waits for the other transaction and survives it, %s', async (_, type, firstNumber, nextNumber) => {
    const event = order(randomUUID(), { type });
    const held = commits.holdNext();
    const first = publish(one, event);
    await held.reached;
    const second = other.em.fork().transactional(async (em) => {
      await note(em, event.eventId!);
      return other.outbox.publish({ ...event, traceId: 'trace-late' }, { em });
    });
    await oneIsWaiting();
    held.open();
    await Promise.all([first, second]);
    expect(await written(database, event.eventId!)).toMatchObject([
      { trace_id: 'trace-0001', stream_sequence: firstNumber },
    ]);
    expect(await notes(event.eventId!)).toBe(1);

    const next = order(randomUUID(), { type, streamKey: event.streamKey });
    await publish(other, next);
    expect(await written(database, next.eventId!)).toMatchObject([{ stream_sequence: nextNumber }]);
  });

  it('[SC-010] refuses a commit that is tried again as it did the first time', async () => {
    const event = order(randomUUID());
    const em = one.em.fork();
    await em.begin();
    await note(em, event.eventId!);
    await one.outbox.publish(event, { em });
    await publish(other, { ...event, payload: { says: 'something else' } });
    await expect(em.commit()).rejects.toThrow(EventIdReusedError);
    await expect(em.commit()).rejects.toThrow(EventIdReusedError);
    await em.rollback();
    expect(await notes(event.eventId!)).toBe(0);
  });

  it('[SC-010] writes the event after all when the other transaction rolls back', async () => {
    const event = order(randomUUID());
    const held = commits.holdNext();
    const first = publish(one, event);
    await held.reached;
    const second = publish(other, { ...event, traceId: 'trace-late' });
    await oneIsWaiting();
    held.fail(new Error('the commit fails'));
    await expect(first).rejects.toThrow('the commit fails');
    await second;
    expect(await written(database, event.eventId!)).toMatchObject([{ trace_id: 'trace-late', stream_sequence: '1' }]);
  });

  it('[SC-010] leaves out the repeats among new events, whose numbers have no gap', async () => {
    const streamKey = `order:${randomUUID()}`;
    const [repeatA, repeatB] = [order(randomUUID(), { streamKey }), order(randomUUID(), { type: UNORDERED })];
    const fresh = [1, 2, 3].map(() => order(randomUUID(), { streamKey }));
    const held = commits.holdNext();
    const first = publish(one, repeatA, repeatB);
    await held.reached;
    const second = publish(other, fresh[0]!, repeatB, fresh[1]!, repeatA, fresh[2]!);
    await oneIsWaiting();
    held.open();
    await Promise.all([first, second]);
    const rows = await written(database, repeatA.eventId!, ...fresh.map(({ eventId }) => eventId!));
    expect(rows.map((row) => row.event_id)).toEqual([repeatA, ...fresh].map(({ eventId }) => eventId));
    expect(rows.map((row) => row.stream_sequence)).toEqual(['1', '2', '3', '4']);
    expect(await lastSequence(database, streamKey)).toBe(4);
  });

  it.each<[string, Partial<PublishableEvent>]>([
    ['another payload', { payload: { secret: 'sentinel-value' } }],
    ['another stream', { streamKey: `order:${randomUUID()}` }],
  ])('[SC-010] fails the transaction that has %s under the same id, and writes nothing of it', async (_, changed) => {
    const event = order(randomUUID());
    const held = commits.holdNext();
    const first = publish(one, event);
    await held.reached;
    const second = other.em.fork().transactional(async (em) => {
      await note(em, event.eventId!);
      return other.outbox.publish({ ...event, ...changed }, { em });
    });
    const outcome = expect(second).rejects.toThrow(EventIdReusedError);
    await oneIsWaiting();
    held.open();
    await first;
    await outcome;
    expect(await written(database, event.eventId!)).toHaveLength(1);
    expect(await notes(event.eventId!)).toBe(0);
  });

  it('[SC-010] survives a repeat that commits while the transaction still works, even one of its own making', async () => {
    const event = order(randomUUID());
    await one.em.fork().transactional(async (em) => {
      await one.outbox.publish(event, { em });
      await em.transactional((own) => one.outbox.publish({ ...event, traceId: 'trace-own' }, { em: own }), {
        propagation: TransactionPropagation.REQUIRES_NEW,
      });
      await note(em, event.eventId!);
    });
    expect(await written(database, event.eventId!)).toMatchObject([{ trace_id: 'trace-own', stream_sequence: '1' }]);
    expect(await notes(event.eventId!)).toBe(1);
  });

  it('[SC-010] refuses a repeat that a transaction with repeatable reads cannot see', async () => {
    const event = order(randomUUID(), { type: UNORDERED });
    const em = one.em.fork();
    await em.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ });
    await one.outbox.publish(event, { em });
    await publish(other, event);
    await expect(em.commit()).rejects.toThrow(DuplicateEventIdError);
    await em.rollback();
    expect(await written(database, event.eventId!)).toHaveLength(1);
  });

  it('[SC-010] writes ids outside of streams in one order, so that nobody waits in a circle', async () => {
    const published = Array.from({ length: 20 }, () => order(randomUUID(), { type: UNORDERED }));
    const [ids, traces] = [published.map(({ eventId }) => eventId!), ['trace-0001', 'trace-0002']];
    await publish(one, ...published);
    const inOrder = await database.query<{ event_id: string }>(
      'select event_id from kernel_outbox_event where event_id = any($1) order by created_at',
      [ids],
    );
    expect(inOrder.map((row) => row.event_id)).toEqual([...ids].sort());

    const again = published.map((event) => order(randomUUID(), { type: event.type, streamKey: event.streamKey }));
    const [forth, back] = traces.map((traceId) => again.map((event) => ({ ...event, traceId })));
    await Promise.all([publish(one, ...forth!), publish(other, ...back!.reverse())]);
    const rows = await written(database, ...again.map(({ eventId }) => eventId!));
    expect(rows).toHaveLength(20);
    expect(new Set(rows.map((row) => row.trace_id)).size).toBe(1);
  });

  it('[SC-010] writes one event when many publish it at once, and fails none of them', async () => {
    const event = order(randomUUID());
    const published = await Promise.all(
      Array.from({ length: 40 }, (_, n) => publish(n % 2 ? one : other, { ...event, traceId: `trace-${1000 + n}` })),
    );
    expect(new Set(published.flat().map(({ eventId }) => eventId))).toEqual(new Set([event.eventId]));
    expect(await written(database, event.eventId!)).toMatchObject([{ stream_sequence: '1' }]);
    expect(await lastSequence(database, event.streamKey)).toBe(1);
  });
});
