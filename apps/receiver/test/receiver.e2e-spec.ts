import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { startReceiver, type RunningApp } from '../src/main.js';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

interface Received {
  eventId: string;
  duplicates: number;
  [field: string]: unknown;
}

describe('the receiver', () => {
  let database: TestDatabase;
  let receiver: RunningApp;
  beforeEach(async () => {
    database = await createTestDatabase();
    receiver = await startReceiver({ port: 0, databaseUrl: database.url, secret: SECRET });
  });
  afterEach(async () => {
    await receiver.close();
    await database.drop();
  });

  const send = (body: string, headers: Record<string, string>) =>
    fetch(`${receiver.url}/webhooks`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  const received = async () =>
    ((await (await fetch(`${receiver.url}/received`)).json()) as { items: Received[] }).items;

  it('keeps a webhook that verifies', async () => {
    const { event, body, headers } = newWebhook();
    const answer = await send(body, { ...headers, authorization: 'Bearer of-something', 'x-kernel-attempt': '1' });

    expect(answer.status).toBe(204);
    const [item] = await received();
    expect(item).toEqual({
      ...{ eventId: event.eventId, type: event.type, tenantId: event.tenantId, traceId: event.traceId },
      verified: true,
      duplicates: 0,
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      headers: expect.objectContaining({ ...headers, 'x-kernel-attempt': '1' }),
      body: event,
    });
    expect(JSON.stringify(item)).not.toContain('of-something');
  });

  it.each([
    ['is not signed', () => ({ 'webhook-signature': '' })],
    ['has no id', () => ({ 'webhook-id': '' })],
    [
      'is signed with another secret',
      () => newWebhook({ secret: `whsec_${randomBytes(32).toString('base64')}` }).headers,
    ],
    ['is too old', () => newWebhook({ signedAt: new Date(Date.now() - 3_600_000) }).headers],
    ['is of the future', () => newWebhook({ signedAt: new Date(Date.now() + 3_600_000) }).headers],
    ['has another id than was signed', () => ({ 'webhook-id': randomUUID() })],
  ])('refuses a webhook that %s', async (_, change) => {
    const { body, headers } = newWebhook();
    const answer = await send(body, { ...headers, ...change() });

    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ type: 'urn:kernel:problem:signature-invalid', status: 401 });
    expect(await received()).toEqual([]);
  });

  it('refuses a body that differs from the signed one in a single space', async () => {
    const { body, headers } = newWebhook();
    expect((await send(`${body} `, headers)).status).toBe(401);
    expect(await received()).toEqual([]);
  });

  it('refuses what is signed but no event', async () => {
    const { body, headers } = newWebhook({ body: '["hello"]' });
    expect((await send(body, headers)).status).toBe(400);
  });

  it('[ADR-11] counts duplicates, also those that come at once, and answers all alike', async () => {
    const { event, body, headers } = newWebhook();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body, headers)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await received()).toMatchObject([{ eventId: event.eventId, duplicates: 19 }]);
  });

  it('remembers over a restart', async () => {
    const { event, body, headers } = newWebhook();
    await send(body, headers);
    await receiver.close();
    receiver = await startReceiver({ port: 0, databaseUrl: database.url, secret: SECRET });
    await send(body, headers);
    expect(await received()).toMatchObject([{ eventId: event.eventId, duplicates: 1 }]);
  });

  it('takes an event once more that was received before there was an inbox, and counts it as a duplicate', async () => {
    const { event, body, headers } = newWebhook();
    await send(body, headers);
    await database.query('delete from receiver.processed_event');
    expect((await send(body, headers)).status).toBe(204);
    expect(await received()).toMatchObject([{ eventId: event.eventId, duplicates: 1 }]);
  });

  it('shows the last 200, newest first', async () => {
    const webhooks = Array.from({ length: 203 }, () => newWebhook());
    for (const { body, headers } of webhooks) {
      await send(body, headers);
    }
    const newest = webhooks.map(({ event }) => event.eventId).toReversed();
    expect((await received()).map(({ eventId }) => eventId)).toEqual(newest.slice(0, 200));
  });

  it('answers 413 to a body over 1 MiB', async () => {
    const { headers } = newWebhook();
    expect((await send('x'.repeat(1_048_577), headers)).status).toBe(413);
  });

  it('accepts nothing without a secret', async () => {
    const open = await startReceiver({ port: 0, databaseUrl: database.url, secret: undefined });
    const { body, headers } = newWebhook();
    const answer = await fetch(`${open.url}/webhooks`, { method: 'POST', body, headers });
    expect(answer.status).toBe(401);
    expect(await received()).toEqual([]);
    await open.close();
  });
});

function newWebhook({
  secret = SECRET,
  signedAt = new Date(),
  body,
}: { secret?: string; signedAt?: Date; body?: string } = {}) {
  const event = {
    eventId: randomUUID(),
    type: 'invoice.created.v1',
    tenantId: randomUUID(),
    streamKey: 'invoice:1',
    occurredAt: '2026-11-16T10:00:00.000Z',
    traceId: randomUUID(),
    payload: { z: 'kept in this order', a: 1 },
  };
  const text = body ?? JSON.stringify(event, null, 1);
  const headers = {
    'webhook-id': event.eventId,
    'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(event.eventId, signedAt, text),
  };
  return { event, body: text, headers };
}
