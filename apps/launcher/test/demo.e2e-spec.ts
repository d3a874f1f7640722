import { randomBytes } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { DEMO_TENANT_ID, demoSecret, prepareDatabase, startErp } from '../../erp/src/main.js';
import { startReceiver } from '../../receiver/src/main.js';

const masterKey = randomBytes(32).toString('base64');

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
    ...{ databaseUrl: database.url, port: 0, role: 'all', masterKey, adminToken: undefined },
    ...{ isDemo: true, receiverUrl: receiver.url, allowHttp: true, allowedCidrs: ['127.0.0.1/32'] },
    ...{ retry: {}, logLevel: 'silent' },
  });
  return {
    receiver,
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

  it('shows each event of an invoice, verified and without the customer', async () => {
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

  it('is made once, and follows the receiver to another port', async () => {
    const first = await startBoth(database);
    await first.close();
    const second = await startBoth(database);
    await second.call('POST', '/invoices', invoice);

    expect(await second.receives(1)).toMatchObject([{ type: 'invoice.created.v1', verified: true }]);
    expect(await database.query('select url from kernel_webhook_endpoint')).toEqual([
      { url: `${second.receiver.url}/webhooks` },
    ]);
    expect(await database.query('select from kernel_privacy_policy')).toHaveLength(4);
    expect(await database.query('select from kernel_secret_version')).toHaveLength(1);
    await second.close();
  });

  it('leaves alone what an operator changed', async () => {
    await (await startBoth(database)).close();
    await database.query(`update kernel_webhook_endpoint set is_enabled = false, subscribed_types = '{a.b}'`);
    await (await startBoth(database)).close();
    expect(await database.query('select is_enabled, subscribed_types from kernel_webhook_endpoint')).toEqual([
      { is_enabled: false, subscribed_types: ['a.b'] },
    ]);
  });
});
