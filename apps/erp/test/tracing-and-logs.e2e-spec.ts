import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { newInvoice, startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';

interface Line {
  msg: string;
  traceId: string;
  fault?: { stack: string[] };
}

const TRACE_PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('one trace id', () => {
  const written: string[] = [];
  let erp: TestErp;
  beforeAll(async () => {
    erp = await startTestErp({
      role: 'all',
      isDemo: true,
      logLevel: 'info',
      logStream: { write: (line: string) => written.push(line) },
    });
  });
  afterAll(() => erp.close());
  beforeEach(() => {
    written.length = 0;
  });

  const lines = () => written.map((line) => JSON.parse(line) as Line);
  const requestLine = () =>
    waitFor(() => lines().find(({ msg }) => /^request (completed|failed)$/.test(msg)), 'the line of the request');

  it.each([
    ['x-trace-id, before traceparent', { 'x-trace-id': 'order-2024.7_a', traceparent: TRACE_PARENT }, 'order-2024.7_a'],
    ['traceparent', { traceparent: TRACE_PARENT }, '4bf92f3577b34da6a3ce929d0e0e4736'],
  ])('goes from %s to the answer, the event and the log', async (_, headers, traceId) => {
    const answer = await erp.request('POST', '/invoices', newInvoice(erp.tenantId), headers);

    expect(answer.headers.get('x-trace-id')).toBe(traceId);
    expect((await erp.events()).at(-1)).toMatchObject({ trace_id: traceId });
    expect(await requestLine()).toMatchObject({ traceId, req: { method: 'POST', path: '/invoices' } });
  });

  it('is made up where none comes in, or one that is not fit', async () => {
    const answer = await erp.request('POST', '/invoices', newInvoice(erp.tenantId), { 'x-trace-id': 'a b' });
    const traceId = answer.headers.get('x-trace-id');
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect((await erp.events()).at(-1)).toMatchObject({ trace_id: traceId });
  });

  it('is on every line of a request that fails, and no line tells of the customer', async () => {
    await erp.request('POST', '/invoices?note=ada@example.com', newInvoice(erp.tenantId, { simulateFailure: true }), {
      'x-trace-id': 'trace-of-failure',
      authorization: 'Bearer not-to-be-logged',
    });

    expect(await requestLine()).toMatchObject({ level: 50, res: { statusCode: 500 } });
    expect(lines().map(({ traceId }) => traceId)).toEqual(['trace-of-failure', 'trace-of-failure']);
    expect(written.join()).not.toMatch(/ada@example|Lovelace|GB123|not-to-be-logged/);
  });

  it('finds the cause of a fault, without the row that the database quotes', async () => {
    await erp.database.query(`alter table erp_invoice add constraint no_moon check (region <> 'Moon')`);
    const { body } = await erp.request('POST', '/invoices', newInvoice(erp.tenantId, { region: 'Moon' }));

    expect(body).toMatchObject({
      type: 'urn:kernel:problem:internal-error',
      status: 500,
      detail: 'something went wrong on our side',
    });
    const line = lines().find(({ fault }) => fault)!;
    expect(line).toMatchObject({ traceId: body.traceId, fault: { code: '23514' } });
    expect(line.fault!.stack.join()).toContain('InvoicesController');
    expect(written.join()).not.toMatch(/ada@example|Lovelace|GB123/);
  });

  it('is on the lines of a delivery, which are not those of the request', async () => {
    const customer = await WebhookReceiver.start();
    const tenantId = randomUUID();
    await erp.request(
      'POST',
      '/admin/eventbus/endpoints',
      { tenantId, url: customer.url, subscribedTypes: ['invoice.created.v1'] },
      { authorization: `Bearer ${erp.settings.adminToken}`, 'x-trace-id': 'trace-of-endpoint' },
    );
    await erp.request('POST', '/invoices', newInvoice(tenantId), { 'x-trace-id': 'trace-of-delivery' });

    const attempt = await waitFor(() => lines().find(({ msg }) => msg === 'delivery attempt'), 'the delivery');
    expect(attempt).toMatchObject({ traceId: 'trace-of-delivery', outcome: 'delivered', tenantId });
    expect(attempt).not.toHaveProperty('req');
    expect(written.join()).not.toMatch(/ada@example|Lovelace|GB123|whsec_|operator-token/);
    await customer.stop();
  });

  it('has one line per request', async () => {
    await erp.request('GET', `/invoices?tenantId=${erp.tenantId}`);
    await requestLine();
    expect(written).toHaveLength(1);
  });
});
