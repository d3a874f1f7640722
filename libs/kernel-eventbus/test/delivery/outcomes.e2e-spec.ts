import { randomUUID } from 'node:crypto';
import { Clock } from '@kernel/runtime';
import { judgeAttempt } from '../../src/judgement/judge-attempt.js';
import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import type { EventBusOptions } from '../../src/eventbus.options.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { PostgresSecretVault } from '@kernel/secrets';
import { Webhook } from 'standardwebhooks';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

/** Advances by a second per read, so every signature has a different timestamp without waiting. */
class SteppingClock extends Clock {
  #time = Date.now();
  override now(): Date {
    return new Date((this.#time += 1_000));
  }
}

interface DeliveryRow {
  delivery_id: string;
  status: string;
  attempts: number;
  last_status_code: number | null;
  error_class: string | null;
  last_error: string | null;
  last_error_ref: string | null;
  last_error_at: Date | null;
  dead_letter_reason: string | null;
  next_attempt_at: Date | null;
  lease_until: Date | null;
  lease_epoch: number;
}

async function setup(options: Partial<EventBusOptions> = {}) {
  const kernel = await startKernelApp({
    ...options,
    adapt: (builder) => builder.overrideProvider(Clock).useClass(SteppingClock),
  });
  const receiver = await WebhookReceiver.start();
  const tenantId = randomUUID();
  const { secret, endpointId } = await kernel.addEndpoint({
    tenantId,
    url: receiver.url,
    types: ['invoice.created.v1'],
  });
  return {
    kernel,
    receiver,
    secret,
    tenantId,
    endpointId,
    publish: () => publishInvoice(kernel, tenantId),
    delivery: () => deliveryOf(kernel, tenantId),
    reaches: (status: string) =>
      waitFor(async () => {
        const row = await deliveryOf(kernel, tenantId);
        return row?.status === status && row;
      }, `the delivery to be ${status}`),
    ledger: (eventId: string) => ledgerOf(kernel, eventId),
    close: async () => {
      await kernel.close();
      await receiver.stop();
    },
  };
}

const publishInvoice = (kernel: KernelApp, tenantId: string) =>
  kernel.em
    .fork()
    .transactional((em) =>
      kernel.outbox.publish(
        { type: 'invoice.created.v1', tenantId, streamKey: 'invoice:1', traceId: 'trace-0001', payload: { total: 5 } },
        { em },
      ),
    );

const deliveryOf = async (kernel: KernelApp, tenantId: string) =>
  (
    await kernel.database.query<DeliveryRow>('select * from kernel_webhook_delivery where tenant_id = $1', [tenantId])
  )[0];

const ledgerOf = (kernel: KernelApp, eventId: string) =>
  kernel.database.query<Record<string, unknown>>(
    'select * from kernel_ledger_entry where event_id = $1 order by entry_id',
    [eventId],
  );

describe('what becomes of a delivery', () => {
  let bundle: Awaited<ReturnType<typeof setup>>;
  afterEach(() => bundle.close());

  it('[KER-2.2] [KER-5c] retries after failures with the same id and bytes, a new timestamp and a signature that verifies', async () => {
    bundle = await setup();
    bundle.receiver.answers(500, 503, 204);
    const { eventId } = await bundle.publish();
    const row = await bundle.reaches('DELIVERED');
    const { received } = bundle.receiver;

    expect(received.map((webhook) => webhook.headers['x-kernel-attempt'])).toEqual(['1', '2', '3']);
    expect(received.map((webhook) => webhook.headers['webhook-id'])).toEqual([eventId, eventId, eventId]);
    expect(new Set(received.map((webhook) => webhook.headers['webhook-timestamp'])).size).toBe(3);
    expect(new Set(received.map((webhook) => webhook.raw.toString())).size).toBe(1);
    for (const { raw, headers } of received) {
      expect(() => new Webhook(bundle.secret).verify(raw, headers as Record<string, string>)).not.toThrow();
    }
    expect(row).toMatchObject({ attempts: 3, last_status_code: 204, next_attempt_at: null, lease_until: null });
    const story = await bundle.ledger(eventId);
    expect(story.map(({ kind, conclusion, status_code }) => [kind, conclusion, status_code])).toEqual([
      ['published', null, null],
      ['attempt', 'retry', 500],
      ['attempt', 'retry', 503],
      ['attempt', 'delivered', 204],
    ]);
  });

  it('[KER-1] has two ledger entries when the first attempt delivers: published, and the attempt with its conclusion', async () => {
    bundle = await setup();
    const { eventId } = await bundle.publish();
    await bundle.reaches('DELIVERED');
    expect(await bundle.ledger(eventId)).toMatchObject([
      { kind: 'published', conclusion: null },
      { kind: 'attempt', conclusion: 'delivered', attempt: 1, reason: null, body_sha256: expect.any(String) },
    ]);
  });

  it('[KER-3.3] [ADR-3] is FAILED between attempts, with error class, text, time, a ledger entry and the next time', async () => {
    bundle = await setup({ retry: { initialDelayMs: 600_000, maxDelayMs: 600_000 } });
    bundle.receiver.otherwise({ statusCode: 503, body: 'come back later' });
    const { eventId } = await bundle.publish();
    const row = await bundle.reaches('FAILED');
    const entry = (await bundle.ledger(eventId)).find(({ kind }) => kind === 'attempt')!;

    expect(row).toMatchObject({
      attempts: 1,
      last_status_code: 503,
      error_class: 'http_5xx',
      last_error: 'answered 503',
    });
    expect(row.last_error_at).toBeInstanceOf(Date);
    expect(row.last_error_ref).toBe(entry.entry_id);
    expect(entry).toMatchObject({
      attempt: 1,
      status_code: 503,
      error_class: 'http_5xx',
      response_excerpt: 'come back later',
    });
    const [{ waits }] = (await bundle.kernel.database.query<{ waits: boolean }>(
      `select next_attempt_at >= last_error_at + interval '600 seconds' as waits from kernel_webhook_delivery`,
    )) as [{ waits: boolean }];
    expect(waits).toBe(true);
  });

  it('[KER-2.4] [KFM-4] [KER-6e] goes to the DLQ after the last attempt with a reason, and a replay delivers it', async () => {
    bundle = await setup({ retry: { maxAttempts: 3, initialDelayMs: 10, maxDelayMs: 10 } });
    bundle.receiver.otherwise(500);
    const { eventId } = await bundle.publish();
    const dead = await bundle.reaches('DLQ');
    expect(dead).toMatchObject({ attempts: 3, dead_letter_reason: 'attempts_exhausted', next_attempt_at: null });
    expect(bundle.receiver.received).toHaveLength(3);

    bundle.receiver.otherwise(204);
    const replay = await bundle.kernel.app
      .get(DeliveryReplay)
      .replay({ deliveryId: dead.delivery_id, actor: 'operator:ada', reason: 'customer fixed the receiver' });
    expect(replay).toMatchObject({ kind: 'replayed', delivery: { status: 'PENDING', attempts: 0 } });
    expect(await bundle.reaches('DELIVERED')).toMatchObject({ attempts: 1, dead_letter_reason: null });

    const story = await bundle.ledger(eventId);
    const told = story.map(({ kind, conclusion, actor, reason, status_code }) => ({
      entry: [kind, conclusion, actor],
      reason,
      status_code,
    }));
    expect(told).toEqual([
      { entry: ['published', null, 'kernel'], reason: null, status_code: null },
      { entry: ['attempt', 'retry', 'kernel'], reason: null, status_code: 500 },
      { entry: ['attempt', 'retry', 'kernel'], reason: null, status_code: 500 },
      { entry: ['attempt', 'dead-lettered', 'kernel'], reason: 'attempts_exhausted', status_code: 500 },
      { entry: ['replayed', null, 'operator:ada'], reason: 'customer fixed the receiver', status_code: null },
      { entry: ['attempt', 'delivered', 'kernel'], reason: null, status_code: 204 },
    ]);
    expect(dead.last_error_ref).toBe(story[3]!.entry_id);
    expect(new Set(story.map(({ trace_id }) => trace_id))).toEqual(new Set(['trace-0001']));
  });

  it('replays once when it is asked for several times at once', async () => {
    bundle = await setup({ retry: { maxAttempts: 1 } });
    bundle.receiver.answers(500);
    await bundle.publish();
    const { delivery_id: deliveryId } = await bundle.reaches('DLQ');
    // With a disabled endpoint the replayed delivery is not finished again at once.
    await bundle.kernel.database.query('update kernel_webhook_endpoint set is_enabled = false');
    const replay = bundle.kernel.app.get(DeliveryReplay);
    const request = { deliveryId, actor: 'operator:ada', reason: 'again' };
    const kinds = (await Promise.all([1, 2, 3].map(() => replay.replay(request)))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['not-settled', 'not-settled', 'replayed']);
    expect(
      await bundle.kernel.database.query(`select 1 from kernel_ledger_entry where kind = 'replayed'`),
    ).toHaveLength(1);
  });

  it('does not replay what is not settled or not there', async () => {
    bundle = await setup({ retry: { initialDelayMs: 600_000 } });
    bundle.receiver.otherwise(500);
    await bundle.publish();
    const { delivery_id: deliveryId } = await bundle.reaches('FAILED');
    const replay = bundle.kernel.app.get(DeliveryReplay);
    const request = { deliveryId, actor: 'operator:ada', reason: 'again' };
    expect(await replay.replay(request)).toEqual({ kind: 'not-settled', status: 'FAILED' });
    expect(await replay.replay({ ...request, deliveryId: randomUUID() })).toEqual({ kind: 'not-found' });
    expect(await replay.replay({ ...request, tenantId: randomUUID() })).toEqual({ kind: 'not-found' });
    expect(await bundle.kernel.database.query(`select 1 from kernel_ledger_entry where kind = 'replayed'`)).toEqual([]);
  });

  it('[ADR-5] sends a permanent failure to the DLQ at once', async () => {
    bundle = await setup();
    bundle.receiver.otherwise(422);
    await bundle.publish();
    expect(await bundle.reaches('DLQ')).toMatchObject({
      attempts: 1,
      dead_letter_reason: 'permanent_failure',
      error_class: 'http_4xx',
    });
    expect(bundle.receiver.received).toHaveLength(1);
  });

  it('disables an endpoint that answers 410, parks what waits for it and says so in the ledger', async () => {
    bundle = await setup({ concurrency: 1 });
    bundle.receiver.otherwise(410);
    const { eventId } = await bundle.publish();
    expect(await bundle.reaches('DLQ')).toMatchObject({ attempts: 1, dead_letter_reason: 'permanent_failure' });
    expect(await bundle.kernel.database.query('select is_enabled from kernel_webhook_endpoint')).toEqual([
      { is_enabled: false },
    ]);
    expect((await bundle.ledger(eventId)).find(({ kind }) => kind === 'endpoint-disabled')).toMatchObject({
      actor: 'kernel',
      reason: 'answered 410 Gone',
      endpoint_id: bundle.endpointId,
    });
  });

  it('waits as long as the receiver asks by Retry-After', async () => {
    bundle = await setup();
    bundle.receiver.otherwise({ statusCode: 429, headers: { 'retry-after': '600' } });
    await bundle.publish();
    await bundle.reaches('FAILED');
    expect(
      await bundle.kernel.database.query(
        `select next_attempt_at >= last_error_at + interval '599 seconds' as waits from kernel_webhook_delivery`,
      ),
    ).toEqual([{ waits: true }]);
  });

  it('asks the host what becomes of an attempt, where the host has its own judge', async () => {
    bundle = await setup({
      judge: (result, context) =>
        result.kind === 'response' && result.statusCode === 404
          ? { kind: 'dead-letter', reason: 'permanent_failure', errorClass: 'gone', error: 'not here', statusCode: 404 }
          : judgeAttempt(result, context),
    });
    bundle.receiver.otherwise(404);
    await bundle.publish();
    expect(await bundle.reaches('DLQ')).toMatchObject({ attempts: 1, error_class: 'gone', last_error: 'not here' });
  });

  it('follows no redirect', async () => {
    bundle = await setup();
    bundle.receiver.otherwise({ statusCode: 302, headers: { location: bundle.receiver.url } });
    await bundle.publish();
    expect(await bundle.reaches('DLQ')).toMatchObject({ error_class: 'http_3xx', last_status_code: 302 });
    expect(bundle.receiver.received).toHaveLength(1);
  });

  it('retries when nobody listens', async () => {
    bundle = await setup({ retry: { maxAttempts: 2, initialDelayMs: 10, maxDelayMs: 10 } });
    await bundle.receiver.stop();
    await bundle.publish();
    expect(await bundle.reaches('DLQ')).toMatchObject({
      attempts: 2,
      error_class: 'connection',
      last_status_code: null,
    });
  });

  it('[KER-6c] sends nothing and uses up no attempt while the signing secret is missing, then goes on', async () => {
    bundle = await setup();
    const vault = bundle.kernel.app.get(PostgresSecretVault);
    const [{ alias }] = (await bundle.kernel.database.query<{ alias: string }>(
      'select signing_secret_alias as alias from kernel_webhook_endpoint',
    )) as [{ alias: string }];
    await vault.revoke(bundle.tenantId, alias, 1);
    await bundle.publish();
    await waitFor(
      async () => (await bundle.delivery())?.error_class === 'secret_unavailable',
      'the delivery to be deferred',
    );
    // Deferred repeatedly at growing intervals, with a single ledger entry.
    await waitFor(async () => (await bundle.delivery())!.lease_epoch >= 4, 'the delivery to be deferred several times');
    expect(await bundle.delivery()).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(
      await bundle.kernel.database.query(`select 1 from kernel_ledger_entry where kind = 'deferred'`),
    ).toHaveLength(1);
    expect(bundle.receiver.received).toEqual([]);

    const { value } = await vault.put({ tenantId: bundle.tenantId, alias });
    await bundle.reaches('DELIVERED');
    const { raw, headers } = bundle.receiver.received[0]!;
    expect(() => new Webhook(value.reveal()).verify(raw, headers as Record<string, string>)).not.toThrow();
  });
});
