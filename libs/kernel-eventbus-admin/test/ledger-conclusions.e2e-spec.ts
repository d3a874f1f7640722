import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, readAllPages } from '@kernel/test-support/admin-api';
import { v7 as uuidv7 } from 'uuid';

interface Item {
  entryId: string;
  kind: string;
  conclusion: string | null;
  [fact: string]: unknown;
}

describe('the conclusions of attempts in the ledger', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  const tenantId = randomUUID();
  let deliveredId: string;
  let deadId: string;
  beforeAll(async () => {
    api = await AdminApi.start({ role: 'all', retry: { maxAttempts: 2, initialDelayMs: 1, maxDelayMs: 1 } });
    receiver = await WebhookReceiver.start();
    await api.createEndpoint(tenantId, { url: receiver.url });
    deliveredId = await settle({ statuses: [503, 204], kind: 'delivered' });
    deadId = await settle({ statuses: [500, 500], kind: 'dead-lettered' });
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  async function settle({ statuses, kind }: { statuses: number[]; kind: string }): Promise<string> {
    receiver.answers(...statuses);
    const { eventId } = await api.publish(tenantId);
    await waitFor(async () => (await list({ eventId, kind })).length === 1, `the event to be ${kind}`);
    return eventId;
  }

  async function list(query: Record<string, string | number>): Promise<Item[]> {
    const { body } = await api.operator.get('/audit', { tenantId, ...query }).expect(200);
    return body.items as Item[];
  }
  const kindsOf = (items: readonly { kind?: unknown; conclusion?: unknown }[]) =>
    items.map(({ kind, conclusion }) => [kind, conclusion]);

  it('[KER-1] are shown as entries of their own, before their attempt, newest first', async () => {
    expect(kindsOf(await list({ eventId: deliveredId }))).toEqual([
      ['delivered', null],
      ['attempt', 'delivered'],
      ['attempt', 'retry'],
      ['published', null],
    ]);
    const [dead, attempt, ...before] = await list({ eventId: deadId });
    expect(kindsOf(before)).toEqual([
      ['attempt', 'retry'],
      ['published', null],
    ]);
    expect(attempt).toMatchObject({
      ...{ kind: 'attempt', conclusion: 'dead-lettered', attempt: 2, statusCode: 500, reason: 'attempts_exhausted' },
      latencyMs: expect.any(Number),
      bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      detail: { dispatcher: 'http', handoff: expect.any(String) },
    });
    expect(dead).toEqual({
      ...attempt,
      kind: 'dead-lettered',
      ...{ conclusion: null, latencyMs: null, responseExcerpt: null, bodySha256: null, detail: null },
      ...{ policyId: null, policyVersion: null, removedPaths: null },
    });
  });

  it('[KER-1] are filtered by kind, also those that an earlier version wrote as entries of their own', async () => {
    const eventId = randomUUID();
    const [attempt, delivered, dead] = [uuidv7(), uuidv7(), uuidv7()];
    await api.kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, tenant_id, event_id, trace_id, actor, attempt, status_code)
       values ($3, 'attempt', $1, $2, 'trace-0001', 'kernel', 1, 204),
         ($4, 'delivered', $1, $2, 'trace-0001', 'kernel', 1, 204),
         ($5, 'dead-lettered', $1, $2, 'trace-0001', 'kernel', null, null)`,
      [tenantId, eventId, attempt, delivered, dead],
    );
    const idsOf = async (query: Record<string, string>) => (await list(query)).map(({ entryId }) => entryId);
    expect(await idsOf({ eventId })).toEqual([dead, delivered, attempt]);
    expect(await idsOf({ eventId, kind: 'attempt' })).toEqual([attempt]);
    expect(await idsOf({ eventId, kind: 'delivered' })).toEqual([delivered]);

    expect(kindsOf(await list({ kind: 'delivered' }))).toEqual([
      ['delivered', null],
      ['delivered', null],
    ]);
    expect(kindsOf(await list({ kind: 'dead-lettered' }))).toEqual([
      ['dead-lettered', null],
      ['dead-lettered', null],
    ]);
    expect((await list({ kind: 'attempt', eventId: deadId })).map(({ conclusion }) => conclusion)).toEqual([
      'dead-lettered',
      'retry',
    ]);
  });

  it.each([1, 2, 3])(
    'are neither lost nor repeated where a page of %d ends between them and their attempt',
    async (limit) => {
      const whole = await list({ limit: 200 });
      expect(whole.filter(({ kind }) => kind === 'attempt').length).toBeGreaterThanOrEqual(4);
      const { items, pages } = await readAllPages(api.operator, '/audit', { tenantId, limit });
      expect(items).toEqual(whole);
      expect(pages).toBe(Math.ceil(whole.length / limit));
      for (const kind of ['attempt', 'delivered', 'dead-lettered']) {
        const filtered = await readAllPages(api.operator, '/audit', { tenantId, kind, limit });
        expect(filtered.items).toEqual(whole.filter((item) => item.kind === kind));
      }
    },
  );

  it('refuse a cursor that ends after another part of an entry', async () => {
    const cursor = Buffer.from(`${uuidv7()} attempt`).toString('base64url');
    await api.operator.get('/audit', { cursor }).expect(400);
  });

  it('[KER-T] are found by an admin of the tenant, and by no other', async () => {
    const own = await api.tenantAdmin(tenantId);
    const stranger = await api.tenantAdmin();
    const find = async (client: typeof own.client) =>
      (await client.get('/audit', { kind: 'dead-lettered', eventId: deadId }).expect(200)).body.items as Item[];
    expect(kindsOf(await find(own.client))).toEqual([['dead-lettered', null]]);
    expect(await find(stranger.client)).toEqual([]);
  });

  it('[KFM-8] are part of the line of their attempt in an export', async () => {
    const { text } = await api.operator.get('/audit/export').buffer(true).expect(200);
    const lines = (text ?? '').split('\n').filter((line) => line.includes(deadId));
    expect(kindsOf(lines.map((line) => JSON.parse(line) as Item))).toEqual([
      ['published', undefined],
      ['attempt', 'retry'],
      ['attempt', 'dead-lettered'],
    ]);
  });
});
