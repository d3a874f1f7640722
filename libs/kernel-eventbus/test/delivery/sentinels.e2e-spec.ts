import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { defineEvent } from '../../src/envelope/define-event.js';
import { ProblemFilter } from '@kernel/http';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import type { LoggerService } from '@nestjs/common';
import fc from 'fast-check';
import { z } from 'zod';
import { actionFor, sentinelPayload, sentinelRules, type Sentinel } from '@kernel/test-support/sentinels';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

/** Matches any sentinel of any run. */
const SENTINEL = /<sentinel \d+>|<name \d+>|\d{4}\.12345678/;
const VALUE = /<sentinel \d+>|\d{4}\.12345678/;

const GUARDED = defineEvent({ type: 'guarded.v1', privacy: { forbidden: ['$.secret'], labels: ['$.careLabel'] } });
const CHECKED = defineEvent({ type: 'checked.v1', schema: z.object({ secret: z.number(), other: z.email() }) });

describe('for any payload and any policy', () => {
  const logged: unknown[][] = [];
  const refusals: unknown[] = [];
  let api: AdminApi;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const log = (...line: unknown[]) => void logged.push(line);
    const logger: LoggerService = { log, error: log, warn: log, debug: log, verbose: log, fatal: log };
    api = await AdminApi.start({
      role: 'all',
      events: [GUARDED, CHECKED],
      configure: (app) => app.useGlobalFilters(new ProblemFilter()).useLogger(logger),
    });
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  /** Two attempts, of which the first fails, and the preview afterwards. */
  async function deliver(payload: Record<string, unknown>, rules: object[]) {
    const tenantId = randomUUID();
    const before = receiver.received.length;
    receiver.answers(503);
    await api.operator.put(`/policies/${TYPE}`, { tenantId, rules }).expect(200);
    await api.createEndpoint(tenantId, { url: receiver.url });
    const { eventId } = await api.publish(tenantId, { payload });
    const webhooks = (await receiver.receives(before + 2)).slice(before);
    await waitFor(async () => {
      const { body } = await api.operator.get('/audit', { eventId, kind: 'delivered' }).expect(200);
      return (body.items as unknown[]).length > 0;
    }, 'the delivery to be in the ledger');
    const { body } = await api.operator.post(`/events/${eventId}/preview`).expect(200);
    const [preview] = body.items as [{ body: string; removed: unknown; changed: unknown; policy: unknown }];
    return { webhooks, preview };
  }

  async function refuse(type: string, secret: unknown): Promise<void> {
    const publishing = api.publish(randomUUID(), { type, payload: { secret } });
    refusals.push(
      await publishing.then(
        () => 'published',
        (error: unknown) => error,
      ),
    );
  }

  it('[KER-6d] [KFM-7] [KFM-12] no value that is not kept leaves in bytes or headers, and none at all gets into logs, ledger or errors', async () => {
    await fc.assert(
      fc.asyncProperty(sentinelPayload, sentinelRules, async (given, drawn) => {
        const { webhooks, preview } = await deliver(
          given.payload,
          drawn.map(({ rule }) => rule),
        );
        const [bytes] = webhooks.map(({ raw }) => raw.toString());
        expect(webhooks.map(({ raw }) => raw.toString())).toEqual([bytes, preview.body]);
        const isKept = (sentinel: Sentinel) => actionFor(sentinel, drawn) === 'keep';
        expect(given.leaves.filter((leaf) => bytes!.includes(leaf.text) !== isKept(leaf))).toEqual([]);
        const dropped = given.names.filter((name) =>
          ['drop', 'wrong-shape', undefined].includes(actionFor(name, drawn)),
        );
        expect(dropped.filter(({ text }) => bytes!.includes(text))).toEqual([]);
        expect(JSON.stringify(webhooks.map(({ headers }) => headers))).not.toMatch(SENTINEL);
        expect(JSON.stringify({ ...preview, body: null })).not.toMatch(VALUE);
        await refuse(GUARDED.type, given.payload);
        await refuse(CHECKED.type, given.payload);
      }),
      { numRuns: 12 },
    );

    expect(logged.length).toBeGreaterThan(20);
    expect(inspect(logged, { depth: null, maxStringLength: null, maxArrayLength: null })).not.toMatch(SENTINEL);
    const told = refusals.map((error) => (error as { code?: string }).code);
    expect(new Set(told)).toEqual(new Set(['EVENT_MISCLASSIFIED', 'EVENT_INVALID']));
    expect(inspect(refusals, { depth: null, maxStringLength: null, maxArrayLength: null })).not.toMatch(VALUE);
    const rows = await api.kernel.database.query<{ text: string }>(
      `select to_jsonb(entry)::text as text from kernel_ledger_entry entry
       union all select to_jsonb(delivery)::text from kernel_webhook_delivery delivery
       union all select to_jsonb(policy)::text from kernel_privacy_policy policy`,
    );
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.map(({ text }) => text).join('\n')).not.toMatch(SENTINEL);
  });
});
