import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EventBusError, InvalidEventError } from '../../src/eventbus.errors.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import { PolicyStore } from '@kernel/privacy';
import fc from 'fast-check';
import { hostileNames, hostileNumber, hostileText, hostileValue, nested } from '@kernel/test-support/hostile-json';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const TYPE = 'order.placed.v1';
const MAX_DEPTH = 100;
const OCCURRED_AT = '2026-11-18T12:00:00.000Z';
const tenantId = randomUUID();
const order = (changes: Partial<PublishableEvent> = {}): PublishableEvent => ({
  ...{ type: TYPE, tenantId, streamKey: 'order:1', traceId: 'trace-0001', eventId: randomUUID() },
  ...changes,
});
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

describe('publish and hostile input', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp();
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const publish = (...events: PublishableEvent[]) =>
    kernel.em.fork().transactional((em) => kernel.outbox.publishAll(events, { em }));
  const stored = async (eventIds: (string | undefined)[]) => {
    const rows = await kernel.database.query<{ event_id: string; payload: string; attributes: string }>(
      'select event_id, payload_jsonb::text as payload, attributes::text from kernel_outbox_event where event_id = any($1)',
      [eventIds],
    );
    return new Map(rows.map((row) => [row.event_id, row]));
  };

  const record = fc.dictionary(fc.oneof(hostileText, fc.constantFrom(...hostileNames)), hostileValue, { maxKeys: 5 });
  const anything = fc.oneof(hostileText, hostileNumber, hostileValue, record);
  const changes = fc.oneof(
    fc.record({ payload: record }),
    fc.record({ attributes: record }),
    fc.record(
      {
        payload: anything,
        attributes: anything,
        type: anything,
        streamKey: anything,
        traceId: anything,
        actorId: anything,
        occurredAt: anything,
        aggregateId: anything,
        [`${hostileNames[1]}`]: anything,
      },
      { requiredKeys: [] },
    ),
  ) as fc.Arbitrary<Partial<PublishableEvent>>;

  it('[KER-6] [KER-2.1b] stores exactly what it was given, or refuses by name and leaves nothing of the transaction', async () => {
    const counts = { stored: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const [before, hostile] = [order(), order(changed)];
        const outcome = await publish(before, hostile).catch((error: unknown) => error);
        const rows = await stored([before.eventId, hostile.eventId]);
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(EventBusError);
          expect(rows.size).toBe(0);
          counts.refused += 1;
          return;
        }
        const { payload, attributes } = rows.get(hostile.eventId!)!;
        expect(isDeepStrictEqual(JSON.parse(payload), asJson(changed.payload ?? {}))).toBe(true);
        expect(isDeepStrictEqual(JSON.parse(attributes), asJson(changed.attributes ?? {}))).toBe(true);
        expect(rows.size).toBe(2);
        counts.stored += 1;
      }),
      { numRuns: 100 },
    );
    // Both outcomes occurred often enough.
    expect(Math.min(counts.stored, counts.refused)).toBeGreaterThan(5);
    expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  it('stores an event in the same way alone and among others', async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const [alone, among] = [
          order({ ...changed, occurredAt: OCCURRED_AT }),
          order({ ...changed, occurredAt: OCCURRED_AT }),
        ];
        const isPublished = await publish(alone).then(
          () => true,
          () => false,
        );
        fc.pre(isPublished);
        await publish(order(), among, order());
        const [first, second, ...others] = await kernel.database.query<{ row: unknown }>(
          `select to_jsonb(e) - array['event_id', 'stream_sequence', 'created_at', 'published_at', 'status'] as row
           from kernel_outbox_event e where event_id = any($1)`,
          [[alone.eventId, among.eventId]],
        );
        expect(others).toEqual([]);
        expect(first).toEqual(second);
      }),
      { numRuns: 50 },
    );
  });

  it.each<[string, Partial<PublishableEvent>, RegExp]>([
    [
      'a payload one level too deep',
      { payload: { a: nested(MAX_DEPTH) } },
      /payload: nested 101 levels deep; at most 100/,
    ],
    ['lists one level too deep', { payload: { a: nested(MAX_DEPTH, 'array') } }, /payload: nested 101 levels deep/],
    ['a payload of many thousand levels', { payload: { a: nested(20_000) } }, /payload: nested 20001 levels deep/],
    ['attributes of many levels', { attributes: { a: nested(1_000) } }, /attributes: nested 1001 levels deep/],
    ['a payload that turns into a list', { payload: { toJSON: () => [1] } }, /payload: must be an object/],
    ['a payload that contains itself', { payload: cyclic() }, /payload: Circular reference/],
    ['a number beyond 64 bits as such', { payload: { n: 2n ** 70n } }, /payload: .*BigInt/],
  ])('[KER-6] refuses %s', async (_what, changed, message) => {
    const hostile = order(changed);
    const refusal = await publish(hostile).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InvalidEventError);
    expect((refusal as Error).message).toMatch(message);
    expect((await stored([hostile.eventId])).size).toBe(0);
  });

  it('[KER-6] [KER-2.2] delivers what it accepts, to an internal and an external endpoint', async () => {
    const tenantId = randomUUID();
    const rules = [...hostileNames, 'a'].map((name) => ({ path: `$['${name}']`, action: 'keep' as const }));
    await kernel.app.get(PolicyStore).put({ tenantId, eventType: TYPE, rules, createdBy: 'test' });
    for (const isExternal of [false, true]) {
      await kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE], isExternal });
    }
    const deepest = [{ a: nested(MAX_DEPTH - 1) }, { a: nested(MAX_DEPTH - 1, 'array') }, { a: [1e308, 5e-324, -0] }];
    const hostile = fc.sample(fc.dictionary(fc.constantFrom(...hostileNames), hostileValue), { numRuns: 60, seed: 7 });
    const published = new Map<unknown, unknown>();
    for (const payload of [...deepest, ...hostile]) {
      const [envelope] = await publish(order({ tenantId, payload })).catch(() => []);
      if (envelope) published.set(envelope.eventId, asJson(payload));
    }
    expect(published.size).toBeGreaterThan(20);

    const received = await receiver.receives(2 * published.size);
    for (const { body } of received) {
      expect(isDeepStrictEqual(body.payload, published.get(body.eventId))).toBe(true);
    }
    expect(new Set(received.map(({ headers }) => headers['x-kernel-delivery-id'])).size).toBe(2 * published.size);
  });
});

function cyclic(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
