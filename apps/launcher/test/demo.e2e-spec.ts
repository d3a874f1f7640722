import { randomBytes } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { DEMO_TENANT_ID, demoSecret, prepareDatabase, readEnvironment, startErp } from '../../erp/src/main.js';
import { startReceiver } from '../../receiver/src/main.js';

const masterKey = randomBytes(32).toString('base64');
const ADMIN_TOKEN = 'an-operator-token-for-tests';

interface Received {
  eventId: string;
  type: string;
  verified: boolean;
  traceId: string;
  body: { payload: Record<string, unknown> };
}

async function startBoth(database: TestDatabase) {
  await prepareDatabase(database.url);
  const receiver = await startReceiver({ port: 0, databaseUrl: database.url, secret: demoSecret(masterKey) });
  const erp = await startErp({
    ...readEnvironment({ PORT: '0', RECEIVER_PORT: '0', LOG_LEVEL: 'silent' }),
    ...{ databaseUrl: database.appUrl, receiverUrl: receiver.url, masterKey, adminToken: ADMIN_TOKEN },
  });
  return {
    erp,
    receiver,
    addEndpoint: async (url: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` };
      const body = JSON.stringify({ tenantId: DEMO_TENANT_ID, url, subscribedTypes: ['invoice.created.v1'] });
      return (await fetch(`${erp.url}/admin/eventbus/endpoints`, { method: 'POST', headers, body })).status;
    },
    call: async (method: string, path: string, body?: unknown) => {
      const headers = { 'content-type': 'application/json', 'x-trace-id': 'trace-of-the-demo' };
      const response = await fetch(`${erp.url}${path}`, { method, headers, body: JSON.stringify(body) });
      return (await response.json()) as { invoiceId: string };
    },
    receives: (count: number) =>
      waitFor(async () => {
        const { items } = (await (await fetch(`${receiver.url}/received`)).json()) as { items: Received[] };
        return items.length >= count ? items : undefined;
      }, `${count} webhooks`),
    close: async () => {
      await erp.close();
      await receiver.close();
    },
  };
}

const invoice = {
  tenantId: DEMO_TENANT_ID,
  customer: { name: 'Ada Lovelace', email: 'ada@example.com', taxId: 'GB123' },
  lines: [{ description: 'Consulting', amountCents: 12_000 }],
  region: 'EU',
};

describe('the demo', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('[CARD-5] shows each event of an invoice, verified and without the customer', async () => {
    const demo = await startBoth(database);
    const { invoiceId } = await demo.call('POST', '/invoices', invoice);
    await demo.call('PATCH', `/invoices/${invoiceId}`, { note: 'call Ada at home' });
    await demo.call('POST', `/invoices/${invoiceId}/post`);

    const items = await demo.receives(4);
    expect(items.map(({ type }) => type).sort()).toEqual([
      'invoice.created.v1',
      'invoice.posted.v1',
      'invoice.updated.v1',
      'posting.created.v1',
    ]);
    expect(items.every(({ verified, traceId }) => verified && traceId === 'trace-of-the-demo')).toBe(true);
    const created = items.find(({ type }) => type === 'invoice.created.v1')!;
    expect(created.body.payload).toEqual({
      invoiceId,
      lines: invoice.lines,
      region: 'EU',
      totalCents: 12_000,
      status: 'draft',
    });
    expect(JSON.stringify(items)).not.toMatch(/Ada|example|GB123/);
    await demo.close();
  });

  it('lets out to its own receiver, and to nothing else that is not public or is plain http', async () => {
    const demo = await startBoth(database);
    expect(await demo.addEndpoint(`${demo.receiver.url}/webhooks`)).toBe(201);
    for (const url of [
      'http://127.0.0.1:1/',
      'https://127.0.0.1:1/',
      `${demo.erp.url}/invoices`,
      `${demo.receiver.url.replace('127.0.0.1', 'localhost')}/webhooks`,
      `${demo.receiver.url.replace('http:', 'https:')}/webhooks`,
      'http://example.com/',
      'http://93.184.215.14/',
    ]) {
      expect([url, await demo.addEndpoint(url)]).toEqual([url, 400]);
    }
    await demo.close();
  });

  it('writes into the ledger what it makes, once', async () => {
    const first = await startBoth(database);
    const second = await startBoth(database);
    await first.close();
    await second.close();
    const entries = await database.query(
      `select kind, count(*)::int, min(tenant_id::text) as tenant_id, count(distinct trace_id)::int as traces
       from kernel_ledger_entry where actor = 'demo' group by kind order by kind`,
    );
    const tenant_id = DEMO_TENANT_ID;
    expect(entries).toEqual([
      { kind: 'endpoint-created', count: 1, tenant_id, traces: 1 },
      { kind: 'endpoint-updated', count: 1, tenant_id, traces: 1 },
      { kind: 'policy-put', count: 4, tenant_id, traces: 1 },
      { kind: 'secret-put', count: 1, tenant_id, traces: 1 },
    ]);
    const [updated] = await database.query(`select detail from kernel_ledger_entry where kind = 'endpoint-updated'`);
    expect(updated).toMatchObject({ detail: { after: { url: `${second.receiver.url}/webhooks` } } });
    const ledger = await database.query('select row_to_json(l)::text as text from kernel_ledger_entry l');
    expect(JSON.stringify(ledger)).not.toContain(demoSecret(masterKey));
  });

  it('is made once, and follows the receiver to another port', async () => {
    const first = await startBoth(database);
    await first.close();
    const second = await startBoth(database);
    await second.call('POST', '/invoices', invoice);

    expect(await second.receives(1)).toMatchObject([{ type: 'invoice.created.v1', verified: true }]);
    expect(await database.query('select url from kernel_webhook_endpoint where dispatcher is null')).toEqual([
      { url: `${second.receiver.url}/webhooks` },
    ]);
    expect(await database.query('select from kernel_privacy_policy')).toHaveLength(4);
    expect(await database.query('select from kernel_secret_version')).toHaveLength(1);
    await second.close();
  });

  it("takes its endpoint's url back from a tenant admin", async () => {
    const first = await startBoth(database);
    await first.close();
    // Like a URL that a tenant's admin set through the admin API.
    await database.query(`update kernel_webhook_endpoint set operator_url = null`);
    const second = await startBoth(database);
    await second.call('POST', '/invoices', invoice);
    expect(await second.receives(1)).toMatchObject([{ type: 'invoice.created.v1', verified: true }]);
    await second.close();
  });

  it('leaves alone what an operator changed', async () => {
    await (await startBoth(database)).close();
    await database.query(`update kernel_webhook_endpoint set is_enabled = false, subscribed_types = '{a.b}'`);
    await (await startBoth(database)).close();
    expect(
      await database.query('select is_enabled, subscribed_types from kernel_webhook_endpoint where dispatcher is null'),
    ).toEqual([{ is_enabled: false, subscribed_types: ['a.b'] }]);
  });
});
