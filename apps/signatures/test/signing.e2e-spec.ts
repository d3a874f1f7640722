import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { signatureEvents } from '../src/signing/signature.events.js';
import {
  CUSTOMER_ID,
  expectStatus,
  newRequest,
  otherThan,
  startTestSignatures,
  type TestSignatures,
} from './start-test-signatures.js';

const PSEUDONYM = /^hmac-sha256:[0-9a-f]{64}$/;

describe('a signature request', () => {
  let signatures: TestSignatures;
  beforeAll(async () => {
    signatures = await startTestSignatures();
  });
  afterAll(() => signatures.close());

  const typesOf = async (id: string) => (await signatures.eventsOf(id)).map(({ type }) => type);
  const statusOf = async (id: string) =>
    (await signatures.http.get(`/signature-requests/${id}`).expect(200)).body.status;
  const challenge = async (id: string) => {
    await signatures.post(`/signature-requests/${id}/challenge`).then(expectStatus(200));
    return signatures.codeOf(id);
  };
  const complete = (id: string, code: string) => signatures.post(`/signature-requests/${id}/complete`, { code });

  it('[CARD-5] [AC6] [AC7] is created, challenged and completed, and each step publishes its event', async () => {
    const id = await signatures.start();
    const code = await challenge(id);
    const { body } = await complete(id, code).then(expectStatus(200));
    expect(body).toMatchObject({ signatureRequestId: id, status: 'COMPLETED', challenges: 1, failedAnswers: 0 });
    const events = await signatures.eventsOf(id);
    expect(events.map(({ type, payload_jsonb: payload }) => [type, payload])).toEqual([
      [
        'signature.request.created.v1',
        {
          signatureRequestId: id,
          customerId: expect.stringMatching(PSEUDONYM),
          transactionContextHash: expect.stringMatching(PSEUDONYM),
          requestedChannel: 'SMS',
          riskLevel: 'MEDIUM',
          expiresAt: body.expiresAt,
        },
      ],
      ['signature.challenge.sent.v1', expect.objectContaining({ channel: 'SMS', provider: 'demo-gateway' })],
      ['signature.completed.v1', expect.objectContaining({ transactionContextHash: body.transactionContextHash })],
    ]);
    for (const { event_id: eventId, stream_key: streamKey, attributes } of events) {
      expect(eventId).toMatch(/^.{8}-.{4}-7/);
      expect([streamKey, attributes]).toEqual([`SignatureRequest:${id}`, { version: '1.0.0' }]);
    }
  });

  it('[AC6] counts wrong answers, and is aborted by the third', async () => {
    const id = await signatures.start();
    const wrong = otherThan(await challenge(id));
    for (const rest of ['answers left: 2', 'answers left: 1', 'the request is aborted']) {
      const { body } = await complete(id, wrong).then(expectStatus(422));
      expect(body).toMatchObject({ type: 'urn:kernel:problem:challenge-failed', detail: `the code is wrong; ${rest}` });
    }
    expect(await statusOf(id)).toBe('ABORTED');
    const events = (await signatures.eventsOf(id)).slice(2);
    expect(events.map(({ type, payload_jsonb: { answersLeft, reason } }) => [type, answersLeft ?? reason])).toEqual([
      ['signature.challenge.failed.v1', 2],
      ['signature.challenge.failed.v1', 1],
      ['signature.challenge.failed.v1', 0],
      ['signature.aborted.v1', 'TOO_MANY_FAILURES'],
    ]);
  });

  it('[AC6] [AC7] is aborted once', async () => {
    const id = await signatures.start();
    await signatures.post(`/signature-requests/${id}/abort`, { reason: 'CUSTOMER' }).then(expectStatus(200));
    const { body } = await signatures
      .post(`/signature-requests/${id}/abort`, { reason: 'CUSTOMER' })
      .then(expectStatus(409));
    expect(body).toMatchObject({ type: 'urn:kernel:problem:conflict', detail: 'the request is aborted already' });
    expect(await typesOf(id)).toEqual(['signature.request.created.v1', 'signature.aborted.v1']);
  });

  it('[AC6] [AC8] expires by itself, under a correlation id of the sweep, and takes no answer any more', async () => {
    const ids = [await signatures.start(), await signatures.start()];
    const code = await challenge(ids[0]!);
    await signatures.database.query(`update signature_request set expires_at = now() where status <> 'COMPLETED'`);
    expect((await complete(ids[0]!, code).then(expectStatus(409))).body.detail).toMatch(/^the request is expired/);
    for (const id of ids) {
      await waitFor(async () => (await statusOf(id)) === 'EXPIRED', 'the request to expire');
      const expired = (await signatures.eventsOf(id)).at(-1)!;
      expect(expired.type).toBe('signature.expired.v1');
      expect(expired.trace_id).toMatch(/^[0-9a-f]{32}$/);
    }
    expect((await typesOf(ids[1]!)).filter((type) => type === 'signature.expired.v1')).toHaveLength(1);
  });

  it('[AC8] takes its correlation id from the request, and has one generated where there is none', async () => {
    const headers = { 'x-trace-id': 'correlation-of-the-request' };
    const { body } = await signatures.post('/signature-requests', newRequest(signatures.tenantId), headers);
    const { headers: answered } = await signatures.post(`/signature-requests/${body.signatureRequestId}/challenge`);
    const events = await signatures.eventsOf(body.signatureRequestId);
    expect(events.map(({ trace_id: traceId }) => traceId)).toEqual([
      'correlation-of-the-request',
      answered['x-trace-id'],
    ]);
    expect(answered['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('[AC2] [AC5] tells its history, in order, with version and correlation', async () => {
    const id = await signatures.start();
    await challenge(id);
    const { body } = await signatures.http.get(`/signature-requests/${id}/history`).expect(200);
    expect(body.items).toMatchObject([
      { type: 'signature.request.created.v1', version: '1.0.0', correlationId: expect.any(String) },
      { type: 'signature.challenge.sent.v1', version: '1.0.0', correlationId: expect.any(String) },
    ]);
  });

  it('[AC11] counts its events by type, and shows what is pending', async () => {
    const rows = await signatures.database.query<{ type: string; count: number }>(
      'select type, count(*)::int from kernel_outbox_event group by type',
    );
    const { text } = await signatures.http.get('/metrics').expect(200);
    expect(rows.length).toBeGreaterThan(3);
    for (const { type, count } of rows) {
      expect(text).toMatch(new RegExp(`^outbox_events_created_total\\{.*event_type="${type}".*\\} ${count}$`, 'm'));
    }
    expect(text).toMatch(/^outbox_events_pending(\{.*\})? \d+$/m);
  });

  it('names the customer by pseudonym alone: the same within a tenant, another in another', async () => {
    const other = randomUUID();
    const ids = [
      await signatures.start(),
      await signatures.start(),
      await signatures.start({ tenantId: other }),
      await signatures.start({ customerId: 'customer-4712' }),
    ];
    const pseudonyms = await Promise.all(
      ids.map(async (id) => (await signatures.eventsOf(id))[0]!.payload_jsonb.customerId),
    );
    expect(pseudonyms[1]).toBe(pseudonyms[0]);
    expect(new Set(pseudonyms).size).toBe(3);
  });

  it('sends others neither the customer nor the code, and keeps the customer nowhere', async () => {
    const receiver = await WebhookReceiver.start();
    const subscribedTypes = signatureEvents.map(({ type }) => type);
    const { tenantId } = signatures;
    await signatures.admin
      .post('/admin/eventbus/endpoints')
      .send({ tenantId, url: receiver.url, subscribedTypes })
      .expect(201);
    const id = await signatures.start();
    const code = await challenge(id);
    await complete(id, code);
    const webhooks = await receiver.receives(3);
    const payloads = webhooks.map(({ body }) => body.payload as Record<string, unknown>);
    expect(payloads.every((payload) => payload.signatureRequestId === id && !('customerId' in payload))).toBe(true);
    const tables = ['kernel_outbox_event', 'kernel_ledger_entry', 'signature_request', 'kernel_webhook_delivery'];
    for (const table of tables) {
      expect(JSON.stringify(await signatures.database.query(`select * from ${table}`))).not.toContain(CUSTOMER_ID);
    }
    expect(webhooks.map(({ raw }) => raw.toString()).join('')).not.toMatch(/hmac-sha256:.{64}.*customer|4711/);
    expect(signatures.logged()).not.toContain(CUSTOMER_ID);
    await receiver.stop();
  });
});
