import { randomUUID } from 'node:crypto';
import { DuplicateEventIdError, EventIdReusedError } from '../../src/eventbus.errors.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import pg from 'pg';
import { validate as isUuid } from 'uuid';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { lastSequence, order, ORDERED, publish, startPublisher, tenantId, written } from './publisher.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('deduplication off', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startPublisher(database);
  });
  afterAll(() => kernel.close());

  it('[FR-003a] takes the id of the host, and makes one where there is none', async () => {
    const eventId = randomUUID();
    const [supplied, generated] = await publish(kernel, order(eventId), order(randomUUID(), { eventId: undefined }));
    expect(supplied!.eventId).toBe(eventId);
    expect(isUuid(generated!.eventId)).toBe(true);
    expect(await written(database, eventId, generated!.eventId)).toHaveLength(2);
  });

  it('[FR-014b] refuses an id that exists, as long as the host configures nothing', async () => {
    const event = order(randomUUID());
    await publish(kernel, event);
    await expect(publish(kernel, event)).rejects.toThrow(DuplicateEventIdError);
    expect(await written(database, event.eventId!)).toHaveLength(1);
  });
});

describe('deduplication within the tenant', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startPublisher(database, { deduplication: { scope: 'tenant', retentionDays: 7 } });
  });
  afterAll(() => kernel.close());

  it('[FR-014a] [SC-010] returns what is stored, whatever time and trace the repeat has, and writes nothing', async () => {
    const eventId = randomUUID();
    const payload = { b: [1.5, 'ü'], a: { huge: 1e30 } };
    const occurredAt = '2026-01-02T03:04:05.600Z';
    const [first] = await publish(kernel, order(eventId, { payload, occurredAt, actorId: randomUUID() }));
    const [second] = await publish(
      kernel,
      order(eventId, { ...first, eventId: eventId.toUpperCase(), traceId: 'trace-0002' }),
    );
    const [third] = await publish(kernel, order(eventId, { payload: { a: payload.a, b: payload.b } }));
    expect(first).toMatchObject({ eventId, occurredAt, traceId: 'trace-0001', payload });
    expect([second, third]).toEqual([first, first]);
    expect(await written(database, eventId)).toHaveLength(1);
    expect(await lastSequence(database, `order:${eventId}`)).toBe(1);
  });

  it('[SC-010] recognises repeats within one call, one transaction, and calls at the same time', async () => {
    const event = order(randomUUID());
    const envelopes = await kernel.em
      .fork()
      .transactional(async (em) => [
        ...(await kernel.outbox.publishAll([event, { ...event, traceId: 'trace-0002' }], { em })),
        await kernel.outbox.publish({ ...event, traceId: 'trace-0003' }, { em }),
        ...(await Promise.all(
          [4, 5].map((n) => kernel.outbox.publish({ ...event, traceId: `trace-000${n}` }, { em })),
        )),
      ]);
    expect(new Set(envelopes.map(({ traceId }) => traceId))).toEqual(new Set(['trace-0001']));
    expect(await written(database, event.eventId!)).toMatchObject([{ trace_id: 'trace-0001', stream_sequence: '1' }]);
  });

  it('[SC-010] recognises an id that publish has made when it is supplied in the same transaction', async () => {
    const event = order(randomUUID(), { eventId: undefined });
    const [first, second] = await kernel.em.fork().transactional(async (em) => {
      const made = await kernel.outbox.publish(event, { em });
      return [made, await kernel.outbox.publish({ ...event, eventId: made.eventId }, { em })];
    });
    expect(second).toEqual(first);
    expect(await written(database, first.eventId)).toHaveLength(1);
  });

  it('[SC-010] recognises repeats in savepoints, and forgets what a savepoint took back', async () => {
    const [kept, takenBack] = [order(randomUUID()), order(randomUUID())];
    await kernel.em.fork().transactional(async (em) => {
      await kernel.outbox.publish(kept, { em });
      await em.transactional((inner) => kernel.outbox.publish(kept, { em: inner }));
      const failing = em.transactional(async (inner) => {
        await kernel.outbox.publish(takenBack, { em: inner });
        await kernel.outbox.publish(kept, { em: inner });
        throw new Error('not this');
      });
      await expect(failing).rejects.toThrow('not this');
      await kernel.outbox.publish({ ...takenBack, traceId: 'trace-again' }, { em });
    });
    expect(await written(database, kept.eventId!)).toHaveLength(1);
    expect(await written(database, takenBack.eventId!)).toMatchObject([
      { trace_id: 'trace-again', stream_sequence: '1' },
    ]);
  });

  it('[SC-010] writes once what a savepoint and the transaction around it publish side by side', async () => {
    const event = order(randomUUID());
    await kernel.em.fork().transactional(async (em) => {
      await em.transactional(async (inner) => {
        await kernel.outbox.publish(event, { em: inner });
        await kernel.outbox.publish(event, { em });
      });
    });
    expect(await written(database, event.eventId!)).toMatchObject([{ stream_sequence: '1' }]);
  });

  it('[SC-010] writes what is new beside a repeat, without a gap in the stream', async () => {
    const [repeat, before, after] = [order(randomUUID()), randomUUID(), randomUUID()];
    await publish(kernel, repeat);
    const { streamKey } = repeat;
    await publish(kernel, order(before, { streamKey }), repeat, order(after, { streamKey, eventId: undefined }));
    expect(await lastSequence(database, streamKey)).toBe(3);
    expect(await written(database, repeat.eventId!, before)).toMatchObject([
      { stream_sequence: '1' },
      { stream_sequence: '2' },
    ]);
  });

  it.each<[string, Partial<PublishableEvent>, string[]]>([
    ['another type', { type: 'order.cancelled.v1' }, ['type']],
    ['another stream', { streamKey: 'order:other' }, ['streamKey']],
    ['another payload', { payload: { secret: 'sentinel-value' } }, ['payload']],
    ['another type and payload', { type: 'order.cancelled.v1', payload: {} }, ['type', 'payload']],
  ])('[SC-010] refuses %s under the same id, naming it and showing none', async (_, changed, differing) => {
    const event = order(randomUUID());
    await publish(kernel, event);
    const fresh = randomUUID();
    const changedEvent = { ...event, ...changed };
    const refused = publish(kernel, order(fresh), changedEvent);
    await expect(refused).rejects.toThrow(EventIdReusedError);
    await expect(refused).rejects.toMatchObject({ code: 'EVENT_ID_REUSED', differing });
    await expect(refused).rejects.toThrow(expect.not.stringContaining('sentinel-value') as never);
    await expect(publish(kernel, order(fresh), order(fresh, changed))).rejects.toMatchObject({ differing });
    expect(await written(database, event.eventId!, fresh)).toHaveLength(1);
  });

  it('[FR-014a] says that an id is taken by another tenant, and nothing else of it', async () => {
    const event = order(randomUUID(), { payload: { secret: 'sentinel-value' } });
    await publish(kernel, event);
    const refused = publish(kernel, { ...event, tenantId: randomUUID(), type: 'order.other.v1' });
    await expect(refused).rejects.toThrow(DuplicateEventIdError);
    await expect(refused).rejects.toThrow(/taken outside of its tenant/);
    await expect(refused).rejects.toThrow(expect.not.stringMatching(/sentinel-value|order\.placed/) as never);
    await expect(refused).rejects.toThrow(expect.not.stringContaining(tenantId) as never);
  });

  it('[FR-014a] recognises repeats within the retention, and refuses the id after it', async () => {
    const [young, old] = [order(randomUUID()), order(randomUUID())];
    await writtenDaysAgo(young, 6.9);
    await writtenDaysAgo(old, 7.1);
    await expect(publish(kernel, young)).resolves.toMatchObject([
      { eventId: young.eventId, traceId: 'trace-back-then' },
    ]);
    await expect(publish(kernel, old)).rejects.toThrow(DuplicateEventIdError);
    await expect(publish(kernel, old)).rejects.toThrow(/too long ago.*7 days.*deduplication\.retentionDays/);
  });

  it('[FR-014a] looks nowhere, and sets no savepoint, for ids that the kernel makes', async () => {
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('begin; lock table kernel_outbox_event in access exclusive mode');
    const [eventId, transactionId] = await kernel.em.fork().transactional(async (em) => {
      const envelope = await kernel.outbox.publish(order(randomUUID(), { eventId: undefined }), { em });
      await locker.query('rollback');
      await locker.end();
      const [row] = await em.execute<{ id: string }[]>('select pg_current_xact_id()::text as id');
      return [envelope.eventId, row!.id];
    });
    expect(await database.query('select xmin::text from kernel_outbox_event where event_id = $1', [eventId])).toEqual([
      { xmin: transactionId },
    ]);
  });
});

/** Triggers do not allow to change `created_at`, so this inserts a copy with the same content. */
async function writtenDaysAgo(event: PublishableEvent, days: number): Promise<void> {
  const kernel = await startPublisher(database);
  const [model] = await publish(kernel, { ...event, eventId: undefined });
  await kernel.close();
  await database.query(
    `insert into kernel_outbox_event
       (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, created_at)
     select $2, tenant_id, stream_key, type, occurred_at, 'trace-back-then', payload_jsonb, payload_hash,
       created_at - $3::float8 * interval '24 hours'
     from kernel_outbox_event where event_id = $1`,
    [model!.eventId, event.eventId, days],
  );
}

describe('deduplication across tenants', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startPublisher(database, { deduplication: { scope: 'global' } });
  });
  afterAll(() => kernel.close());

  it('[FR-014a] [SC-010] returns what is stored, and refuses the same id for another tenant', async () => {
    const event = order(randomUUID());
    const [first] = await publish(kernel, event);
    expect(await publish(kernel, event)).toEqual([first]);
    const refused = publish(kernel, { ...event, tenantId: randomUUID(), payload: {} });
    await expect(refused).rejects.toThrow(EventIdReusedError);
    // The error does not reveal whether the payload differs.
    await expect(refused).rejects.toMatchObject({ differing: ['tenantId'] });
  });
});

describe('ids on their way out', () => {
  let kernel: KernelApp;
  let receivers: WebhookReceiver[];
  beforeEach(async () => {
    kernel = await startKernelApp({ deduplication: { scope: 'tenant' } });
    receivers = [await WebhookReceiver.start(), await WebhookReceiver.start()];
    for (const { url } of receivers) {
      await kernel.addEndpoint({ tenantId, url, types: [ORDERED] });
    }
  });
  afterEach(async () => {
    await kernel.close();
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  });

  it('[FR-003b] [SC-002b] gives an event its id when publish is called, the same for every endpoint and attempt', async () => {
    const [steady, failing] = receivers;
    failing!.answers(500, 503);
    const { eventId } = await kernel.em.fork().transactional(async (em) => {
      const envelope = await kernel.outbox.publish(order(randomUUID(), { eventId: undefined }), { em });
      // The id exists before the event is written, routed or sent.
      expect(isUuid(envelope.eventId)).toBe(true);
      expect(await kernel.database.query('select from kernel_outbox_event')).toEqual([]);
      return envelope;
    });
    const webhooks = [...(await steady!.receives(1)), ...(await failing!.receives(3))];
    expect(webhooks.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(eventId));
    expect(webhooks.map(({ body }) => body.eventId)).toEqual(Array(4).fill(eventId));
    expect(failing!.received.map(({ headers }) => headers['x-kernel-attempt'])).toEqual(['1', '2', '3']);
  });

  it('[FR-014a] [SC-010] delivers an event once to each endpoint, however often it is published', async () => {
    const [event, marker] = [order(randomUUID()), order(randomUUID())];
    await publish(kernel, event);
    await Promise.all(receivers.map((receiver) => receiver.receives(1)));
    await publish(kernel, event);
    await publish(kernel, event, marker);
    for (const receiver of receivers) {
      const received = await receiver.receives(2);
      expect(received.map(({ body }) => body.eventId)).toEqual([event.eventId, marker.eventId]);
    }
    const deliveries = await kernel.database.query('select from kernel_webhook_delivery where event_id = $1', [
      event.eventId,
    ]);
    expect(deliveries).toHaveLength(receivers.length);
  });
});
