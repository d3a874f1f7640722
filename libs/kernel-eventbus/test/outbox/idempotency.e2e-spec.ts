import { randomUUID } from 'node:crypto';
import { defineEvent } from '../../src/envelope/define-event.js';
import {
  DuplicateEventIdError,
  IdempotencyConflictError,
  IdempotencyKeyRequiredError,
  InvalidEventError,
} from '../../src/eventbus.errors.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { lastSequence, ORDERED, startPublisher, tenantId, UNORDERED } from './publisher.js';
import { ways } from './ways.js';

const DEMANDING = 'artifact.published.v1';

describe.each(ways)('an idempotency key, with %s', (_way, open) => {
  const way = open();
  let database: TestDatabase;
  let kernel: KernelApp;
  beforeAll(async () => {
    database = await createTestDatabase();
    kernel = await startPublisher(database, {
      events: [
        defineEvent({ type: UNORDERED, ordering: 'none' }),
        defineEvent({ type: DEMANDING, idempotencyKey: 'required', identifyingAttributes: ['artifactChecksum'] }),
      ],
    });
  });
  afterAll(async () => {
    await way.close();
    await kernel.close();
    await database.drop();
  });

  const publish = (...events: PublishableEvent[]) =>
    way.transactional(kernel, (tx) => kernel.outbox.publishAll(events, tx));
  const keyed = (more: Partial<PublishableEvent> = {}): PublishableEvent => {
    const idempotencyKey = more.idempotencyKey ?? `key-${randomUUID()}`;
    const streamKey = `order:${idempotencyKey}`;
    return {
      type: ORDERED,
      tenantId,
      streamKey,
      traceId: 'trace-0001',
      payload: { total: 5 },
      idempotencyKey,
      ...more,
    };
  };
  const eventsOf = (streamKey: string) =>
    database.query<{ event_id: string }>('select event_id from kernel_outbox_event where stream_key = $1', [streamKey]);
  const ledgerOf = (eventId: string) =>
    database.query<{ trace_id: string; detail: unknown }>(
      `select trace_id, detail from kernel_ledger_entry where kind = 'duplicate-detected' and event_id = $1`,
      [eventId],
    );

  it('[KFM-5] returns the event that exists, marked, and takes no number in its stream', async () => {
    const event = keyed({ payload: { b: [1.5, 'ü'], a: 1e30 }, occurredAt: '2026-01-02T03:04:05.600Z' });
    const [first] = await publish(event);
    const [second] = await publish({
      ...event,
      payload: { a: 1e30, b: [1.5, 'ü'] },
      traceId: 'trace-0002',
      occurredAt: new Date(),
    });
    expect(first).not.toHaveProperty('duplicateDetected');
    expect(second).toEqual({ ...first, duplicateDetected: true });
    expect(await eventsOf(event.streamKey)).toEqual([{ event_id: first!.eventId }]);
    expect(await lastSequence(database, event.streamKey)).toBe(1);
    expect(await ledgerOf(first!.eventId)).toEqual([
      {
        trace_id: 'trace-0002',
        detail: { idempotencyKey: event.idempotencyKey, firstTraceId: 'trace-0001', duplicateDetected: true },
      },
    ]);
  });

  it('[KFM-5] recognises repeats within one call and one transaction, and lets new events through beside them', async () => {
    const event = keyed();
    const other = keyed();
    const answers = await way.transactional(kernel, async (tx) => [
      ...(await kernel.outbox.publishAll([event, event, other], tx)),
      await kernel.outbox.publish(event, tx),
    ]);
    expect(answers.map(({ duplicateDetected }) => duplicateDetected ?? false)).toEqual([false, true, false, true]);
    expect(new Set([answers[0], answers[1], answers[3]].map((answer) => answer!.eventId)).size).toBe(1);
    expect(await eventsOf(event.streamKey)).toHaveLength(1);
    expect(await eventsOf(other.streamKey)).toHaveLength(1);
  });

  it('[KFM-5] under a supplied event id too, it is the key that counts', async () => {
    const event = keyed({ eventId: randomUUID() });
    await publish(event);
    const [again] = await publish(event);
    const [renamed] = await publish({ ...event, eventId: randomUUID() });
    expect([again, renamed]).toMatchObject([
      { eventId: event.eventId, duplicateDetected: true },
      { eventId: event.eventId, duplicateDetected: true },
    ]);
    await expect(publish(keyed({ eventId: event.eventId }))).rejects.toThrow(DuplicateEventIdError);
  });

  it.each<[string, Partial<PublishableEvent>]>([
    ['payload', { payload: { total: 6 } }],
    ['type', { type: UNORDERED }],
    ['streamKey', { streamKey: 'order:another' }],
    ['attributes', { attributes: { artifactChecksum: 'sha256:2' } }],
  ])('[KFM-5] with another %s it is a conflict, and nothing of the call is kept', async (field, change) => {
    const event = keyed({ attributes: { artifactChecksum: 'sha256:1' } });
    const fresh = keyed();
    const [first] = await publish(event);
    const conflict: unknown = await way.transactional(kernel, async (tx) => {
      const refused = kernel.outbox.publishAll([fresh, { ...event, ...change }], tx);
      return refused.catch((error: unknown) => error);
    });
    expect(conflict).toBeInstanceOf(IdempotencyConflictError);
    expect(conflict).toMatchObject({ eventId: first!.eventId, differing: [field] });
    expect(await eventsOf(fresh.streamKey)).toEqual([]);
    const [later] = await publish(fresh);
    expect(later).not.toHaveProperty('duplicateDetected');
    expect(await eventsOf(fresh.streamKey)).toHaveLength(1);
  });

  it('[KFM-5] [KER-T] belongs to its tenant', async () => {
    const event = keyed();
    const foreign = { ...event, tenantId: randomUUID(), payload: { total: 6 } };
    const answers = [...(await publish(event)), ...(await publish(foreign))];
    expect(answers.map(({ duplicateDetected }) => duplicateDetected)).toEqual([undefined, undefined]);
    expect(await eventsOf(event.streamKey)).toHaveLength(2);
  });

  it('[KFM-5] lets one of a hundred transactions publish, and answers the others', async () => {
    const event = keyed();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => publish({ ...event, traceId: `trace-${n}000` })),
    );
    const [written] = await eventsOf(event.streamKey);
    expect(await eventsOf(event.streamKey)).toHaveLength(1);
    expect(new Set(answers.flat().map(({ eventId }) => eventId))).toEqual(new Set([written!.event_id]));
    expect(answers.flat().filter(({ duplicateDetected }) => duplicateDetected)).toHaveLength(99);
    expect(await ledgerOf(written!.event_id)).toHaveLength(99);
    expect(await lastSequence(database, event.streamKey)).toBe(1);
  });

  it('[KFM-5] is free again when its transaction or savepoint rolls back', async () => {
    const event = keyed();
    const rollback = new Error('rolled back');
    await expect(
      way.transactional(kernel, async (tx) => {
        await kernel.outbox.publish(event, tx);
        throw rollback;
      }),
    ).rejects.toBe(rollback);
    const answer = await way.transactional(kernel, async (tx) => {
      await way
        .nested(tx, async (inner) => {
          await kernel.outbox.publish(event, inner);
          throw rollback;
        })
        .catch(() => undefined);
      return kernel.outbox.publish({ ...event, payload: { total: 7 } }, tx);
    });
    expect(answer).not.toHaveProperty('duplicateDetected');
    expect(await eventsOf(event.streamKey)).toEqual([{ event_id: answer.eventId }]);
  });

  it('[KFM-5] that is taken during a REPEATABLE READ transaction makes it fail as one to try again', async () => {
    const event = keyed();
    const attempt = way.transactional(
      kernel,
      async (tx) => {
        await way.query(tx, 'select 1');
        await publish(event);
        await kernel.outbox.publish(event, tx);
      },
      'repeatable read',
    );
    await expect(attempt).rejects.toMatchObject({ code: 'OUTBOX_TRANSACTION_RETRYABLE', sqlState: '40001' });
    expect(await eventsOf(event.streamKey)).toHaveLength(1);
  });

  it('[KFM-11] is demanded where the type says so, and only there', async () => {
    const refused = publish(keyed({ type: DEMANDING, idempotencyKey: undefined, streamKey: 'artifact:1' }));
    await expect(refused).rejects.toThrow(IdempotencyKeyRequiredError);
    await expect(publish(keyed({ idempotencyKey: 'k'.repeat(201) }))).rejects.toThrow(InvalidEventError);
    expect(await eventsOf('artifact:1')).toEqual([]);
  });

  it('[KFM-5] compares the attributes that a type says are identifying, and lets the others differ', async () => {
    const event = keyed({ type: DEMANDING, attributes: { artifactChecksum: 'sha256:1', pipelineId: 'run-1' } });
    const [first] = await publish(event);
    const [second] = await publish({ ...event, attributes: { ...event.attributes, pipelineId: 'run-2' } });
    expect(second).toMatchObject({ eventId: first!.eventId, duplicateDetected: true });
    const changed = { ...event, attributes: { ...event.attributes, artifactChecksum: 'sha256:2' } };
    await expect(publish(changed)).rejects.toThrow(IdempotencyConflictError);
  });

  it('costs those nothing who have none: its table is not touched', async () => {
    const streamKey = `order:${randomUUID()}`;
    await way.transactional(kernel, async (tx) => {
      await way.query(tx, 'lock table kernel_idempotency_key in access exclusive mode');
      await publish({ type: ORDERED, tenantId, streamKey, traceId: 'trace-0001' });
    });
    expect(await eventsOf(streamKey)).toHaveLength(1);
  });
});
