import { createHash, randomUUID } from 'node:crypto';
import { currentTraceId, runWithTrace } from '../../src/trace/trace-context.js';
import { defineEvent } from '../../src/envelope/define-event.js';
import {
  DuplicateEventIdError,
  EventNotDeclaredError,
  InvalidEventError,
  OutboxTransactionRequiredError,
  PayloadTooLargeError,
  TraceIdRequiredError,
} from '../../src/eventbus.errors.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import { validate as isUuid, version as uuidVersion } from 'uuid';
import { z } from 'zod';
import type { PublishOptions } from '../../src/outbox/outbox.service.js';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { ways } from './ways.js';

interface OutboxRow {
  event_id: string;
  stream_key: string;
  type: string;
  trace_id: string;
  actor_id: string | null;
  occurred_at: Date;
  payload_jsonb: Record<string, unknown>;
  payload_hash: string;
  aggregate_type: string | null;
  aggregate_id: string | null;
  attributes: Record<string, unknown>;
  status: string;
  published_at: Date | null;
}

const OrderChecked = defineEvent({
  type: 'order.checked.v1',
  schema: z.strictObject({ total: z.number().int() }),
});
const tenantId = randomUUID();
const MAX_PAYLOAD_BYTES = 1_000;

describe.each(ways)('what publish writes and refuses, with %s', (_way, open) => {
  const way = open();
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({
      role: 'api',
      maxPayloadBytes: MAX_PAYLOAD_BYTES,
      events: [OrderChecked],
    });
  });
  afterAll(async () => {
    await way.close();
    await kernel.close();
  });

  const publish = (event: Partial<PublishableEvent>) =>
    way.transactional(kernel, (tx) =>
      kernel.outbox.publish(
        { type: 'order.placed.v1', tenantId, streamKey: 'order:1', traceId: 'trace-0001', ...event },
        tx,
      ),
    );
  const rowOf = async (eventId: string) =>
    (await kernel.database.query<OutboxRow>('select * from kernel_outbox_event where event_id = $1', [eventId]))[0];
  const rowCount = async () =>
    (await kernel.database.query<{ n: number }>('select count(*)::int as n from kernel_outbox_event'))[0]!.n;
  const expectRefused = async (event: Partial<PublishableEvent>, error: RegExp | (new (...args: never[]) => Error)) => {
    const before = await rowCount();
    await expect(publish(event)).rejects.toThrow(error);
    expect(await rowCount()).toBe(before);
  };

  it('[ADR-6] [AC1] [AC10] fills in a UUIDv7, the hash and PENDING, and keeps what the domain says', async () => {
    const actorId = randomUUID();
    const envelope = await publish({
      actorId,
      payload: { b: 2, a: { z: null, y: [1, 'ü'] } },
      aggregateType: 'Order',
      aggregateId: '1',
      attributes: { dataset_id: 'flows', care_label: 'open' },
      occurredAt: '2026-01-02T03:04:05.678+01:00',
    });
    expect(isUuid(envelope.eventId) && uuidVersion(envelope.eventId)).toBe(7);
    expect(await rowOf(envelope.eventId)).toMatchObject({
      stream_key: 'order:1',
      type: 'order.placed.v1',
      trace_id: 'trace-0001',
      actor_id: actorId,
      occurred_at: new Date('2026-01-02T02:04:05.678Z'),
      payload_jsonb: { b: 2, a: { z: null, y: [1, 'ü'] } },
      payload_hash: createHash('sha256').update('{"a":{"y":[1,"ü"],"z":null},"b":2}').digest('hex'),
      aggregate_type: 'Order',
      aggregate_id: '1',
      attributes: { dataset_id: 'flows', care_label: 'open' },
      status: 'PENDING',
      published_at: null,
    });
  });

  it('[AC4] gives the same hash to the same payload, whatever the order of its keys', async () => {
    const [one, two] = [await publish({ payload: { a: 1, b: 2 } }), await publish({ payload: { b: 2, a: 1 } })];
    expect((await rowOf(one.eventId))!.payload_hash).toBe((await rowOf(two.eventId))!.payload_hash);
  });

  it('[FR-003] takes an absent payload as {}', async () => {
    const { eventId } = await publish({});
    expect((await rowOf(eventId))!.payload_jsonb).toEqual({});
  });

  it('writes what the object was when publish was called, not what became of it', async () => {
    const payload = { state: 'published' };
    const { eventId } = await way.transactional(kernel, async (tx) => {
      const envelope = await kernel.outbox.publish(
        { type: 'order.placed.v1', tenantId, streamKey: 's', traceId: 'trace-0001', payload },
        tx,
      );
      payload.state = 'changed later';
      return envelope;
    });
    expect((await rowOf(eventId))!.payload_jsonb).toEqual({ state: 'published' });
  });

  it('[KER-6b] takes the trace id of the context when the caller gives none', async () => {
    const { eventId } = await runWithTrace('trace-of-the-request', () => publish({ traceId: undefined }));
    expect((await rowOf(eventId))!.trace_id).toBe('trace-of-the-request');
    expect(currentTraceId()).toBeUndefined();
  });

  it('[KER-6b] generates a trace id outside of a request, one for all events of a call', async () => {
    const event = { type: 'order.placed.v1', tenantId, streamKey: 'order:1' };
    const [one, two] = await way.transactional(kernel, (tx) => kernel.outbox.publishAll([event, event], tx));
    expect(one!.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(two!.traceId).toBe(one!.traceId);
    expect((await rowOf(one!.eventId))!.trace_id).toBe(one!.traceId);
  });

  it('[KER-6b] refuses an invalid trace id, and with traceId: required an event without one', async () => {
    const strict = await startKernelApp({ role: 'api', traceId: 'required', database: kernel.database });
    await expect(
      strict.outbox.publishDetached({ type: 'order.placed.v1', tenantId, streamKey: 'order:1' }),
    ).rejects.toThrow(TraceIdRequiredError);
    await strict.close();
    await expectRefused({ traceId: 'short' }, /traceId/);
    await expectRefused({ traceId: '' }, /traceId/);
  });

  it.each<[string, Partial<PublishableEvent>, RegExp]>([
    ['a tenant that is no UUID', { tenantId: 'acme' }, /tenantId/],
    [
      'the nil UUID as tenant',
      { tenantId: '00000000-0000-0000-0000-000000000000' },
      /tenantId: the nil UUID is no tenant/,
    ],
    ['an empty stream key', { streamKey: '' }, /streamKey/],
    ['a stream key over 120 characters', { streamKey: 'x'.repeat(121) }, /streamKey/],
    ['a type over 160 characters', { type: 'x'.repeat(161) }, /type/],
    ['an event id that is no UUID', { eventId: '42' }, /eventId/],
    ['an actor that is no UUID', { actorId: 'me' }, /actorId/],
    ['a time that is none', { occurredAt: 'yesterday' }, /occurredAt/],
    ['a time past the year 9999', { occurredAt: new Date(8.64e15) }, /occurredAt/],
    ['a time before the year 1', { occurredAt: new Date(-1e14) }, /occurredAt/],
    ['a trace id over 256 characters', { traceId: 'x'.repeat(257) }, /traceId/],
    ['attributes over 8 KiB', { attributes: { a: 'x'.repeat(9_000) } }, /attributes: have/],
    ['a payload that is no object', { payload: [1] as never }, /payload/],
    ['a NUL in the payload', { payload: { text: 'a\0b' } }, /payload: contains a NUL/],
    ['a NUL in a key', { payload: { 'a\0b': 1 } }, /payload: contains a NUL/],
    ['half a surrogate pair', { payload: { text: '\ud800' } }, /payload: /],
    ['a NUL in the stream key', { streamKey: 'a\0b' }, /streamKey: contains a NUL/],
    ['a NUL in the attributes', { attributes: { a: '\0' } }, /attributes: contains a NUL/],
    ['a number JSON does not know', { payload: { n: Number.NaN } }, /payload/],
    ['a NUL in the idempotency key', { idempotencyKey: 'a\0b' }, /idempotencyKey: contains a NUL/],
    ['an unknown field', { priority: 'k' } as never, /priority/],
  ])('refuses %s, naming it, and writes nothing', (_, event, message) => expectRefused(event, message));

  it('lets through a backslash that merely stands before u0000', async () => {
    const { eventId } = await publish({ payload: { text: '\\u0000' } });
    expect((await rowOf(eventId))!.payload_jsonb).toEqual({ text: '\\u0000' });
  });

  it('refuses a payload over the cap and takes one at the cap', async () => {
    const payloadOf = (bytes: number) => ({ t: 'x'.repeat(bytes - '{"t":""}'.length) });
    await expectRefused({ payload: payloadOf(MAX_PAYLOAD_BYTES + 1) }, PayloadTooLargeError);
    await publish({ payload: payloadOf(MAX_PAYLOAD_BYTES) });
  });

  it('checks the payload of a declared type, without showing it in the error', async () => {
    await publish({ type: 'order.checked.v1', payload: { total: 5 } });
    await expectRefused({ type: 'order.checked.v1', payload: { total: 'sentinel-value' } }, /payload\.total/);
    await expect(publish({ type: 'order.checked.v1', payload: { total: 'sentinel-value' } })).rejects.toThrow(
      expect.not.stringContaining('sentinel-value') as never,
    );
    await expectRefused({ type: 'order.checked.v1', payload: { total: 1, more: 1 } }, InvalidEventError);
  });

  it('names 20 of the unknown fields of a payload, in a short error', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, 1]));
    const refusal = publish({ type: 'order.checked.v1', payload: { total: 1, ...unknown } });
    const error = (await refusal.catch((fault: unknown) => fault)) as InvalidEventError;
    expect(error).toBeInstanceOf(InvalidEventError);
    expect(error.message.length).toBeLessThan(1_200);
    expect(error.issues).toHaveLength(20);
    expect(error.issues[0]).toMatchObject({ path: 'payload.k0', message: 'unknown field' });
    expect(error).toMatchObject({ more: 80 });
  });

  it('names 20 of the types that were published without a transaction', async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      ...{ tenantId, streamKey: 'order:1', traceId: 'trace-0001' },
      type: `order.placed.v${n % 500}`,
    }));
    const error = await kernel.outbox.publishAll(events).catch((fault: unknown) => fault as Error);
    expect(error).toBeInstanceOf(OutboxTransactionRequiredError);
    expect((error as Error).message).toMatch(/v19 and 480 more\)/);
  });

  it('refuses an event id that exists, within the transaction and across transactions', async () => {
    const eventId = randomUUID();
    await publish({ eventId });
    await expectRefused({ eventId }, DuplicateEventIdError);
    const twice = randomUUID();
    await expect(
      way.transactional(kernel, (tx) =>
        kernel.outbox.publishAll(
          [1, 2].map((n) => ({ eventId: twice, type: 't', tenantId, streamKey: `s${n}`, traceId: 'trace-0001' })),
          tx,
        ),
      ),
    ).rejects.toThrow(DuplicateEventIdError);
    expect(await rowOf(twice)).toBeUndefined();
  });

  it('refuses, here or at the commit, when another transaction took the id in the meantime', async () => {
    const eventId = randomUUID();
    const attempts = [1, 2].map(() => publish({ eventId }));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: expect.any(DuplicateEventIdError) as unknown,
    });
  });

  describe('by definition', () => {
    const about = { tenantId, streamKey: 'order:1', traceId: 'trace-0001' };

    it('writes events of one declared type, of several, and detached ones', async () => {
      const payload = { total: 1 };
      const written = await way.transactional(kernel, async (tx) => [
        await kernel.outbox.publish(OrderChecked, { ...about, payload }, tx),
        ...(await kernel.outbox.publishAll(OrderChecked, [{ ...about, payload }], tx)),
        ...(await kernel.outbox.publishAll([OrderChecked.of({ ...about, payload })], tx)),
      ]);
      written.push(await kernel.outbox.publishDetached(OrderChecked, { ...about, payload }));
      expect(await Promise.all(written.map(({ eventId }) => rowOf(eventId)))).toEqual(
        Array.from({ length: 4 }, () => expect.objectContaining({ type: OrderChecked.type, payload_jsonb: payload })),
      );
    });

    it('refuses a payload that the schema does not accept, naming type and field', async () => {
      const wrong = { ...about, payload: { total: 1.5 } };
      await expect(kernel.outbox.publishDetached(OrderChecked, wrong)).rejects.toThrow(
        /^the event order.checked.v1 is not valid: payload.total: /,
      );
    });

    it('refuses a definition that the module does not list', async () => {
      const Unlisted = defineEvent({ type: 'unlisted.v1' });
      const before = await rowCount();
      await expect(kernel.outbox.publishDetached(Unlisted, about)).rejects.toThrow(EventNotDeclaredError);
      await expect(way.transactional(kernel, (tx) => kernel.outbox.publishAll(Unlisted, [about], tx))).rejects.toThrow(
        /unlisted.v1 is not declared: list it in EventBusModule.forRoot/,
      );
      expect(await rowCount()).toBe(before);
    });
  });

  const within = (call: (tx: PublishOptions) => Promise<unknown>) => way.transactional(kernel, call);

  it.each<[string, () => Promise<unknown>]>([
    ['publish', () => within((tx) => kernel.outbox.publish({ type: 'a.v1', tenantId: 'x', streamKey: 's' }, tx))],
    [
      'publishAll',
      () => within((tx) => kernel.outbox.publishAll([{ type: 'a.v1', tenantId: 'x', streamKey: 's' }], tx)),
    ],
    ['a definition', () => within((tx) => kernel.outbox.publish(OrderChecked, {} as never, tx))],
    ['no transaction', () => kernel.outbox.publish({ type: 'order.placed.v1', tenantId, streamKey: 's' })],
  ])('starts the stack of a refusal at its caller: %s', async (_, call) => {
    const error = await call().catch((refusal: unknown) => refusal as Error);
    const [, firstFrame] = (error as Error).stack!.split(/\n +at /);
    expect(firstFrame).toContain('publish.e2e-spec');
  });
});
