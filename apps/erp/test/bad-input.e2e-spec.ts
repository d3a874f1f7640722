import { randomUUID } from 'node:crypto';
import { newInvoice, startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';

const TENANT = randomUUID();
const line = { description: 'Consulting', amountCents: 1 };
const customer = { name: 'Ada', email: 'ada@example.com' };

describe('bad input', () => {
  let erp: TestErp;
  beforeAll(async () => {
    erp = await startTestErp({ maxPayloadBytes: 4_000 });
  });
  afterAll(() => erp.close());

  async function expectNothingWritten() {
    expect(await erp.events()).toEqual([]);
    expect(await erp.database.query('select from erp_invoice')).toEqual([]);
  }

  it.each<[string, Record<string, unknown>, string]>([
    ['a tenant that is no UUID', { tenantId: 'acme' }, 'tenantId'],
    ['no tenant', { tenantId: undefined }, 'tenantId'],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['an unknown field of the customer', { customer: { ...customer, age: 36 } }, 'customer.age'],
    ['an unknown field of a line', { lines: [{ ...line, tax: 1 }] }, 'lines.0.tax'],
    ['no customer', { customer: undefined }, 'customer'],
    ['a customer without e-mail', { customer: { name: 'Ada' } }, 'customer.email'],
    ['an e-mail that is none', { customer: { ...customer, email: 'ada' } }, 'customer.email'],
    ['an empty name', { customer: { ...customer, name: '' } }, 'customer.name'],
    ['no lines', { lines: [] }, 'lines'],
    ['too many lines', { lines: Array.from({ length: 1001 }, () => line) }, 'lines'],
    ['an amount as text', { lines: [{ ...line, amountCents: '1' }] }, 'lines.0.amountCents'],
    ['half a cent', { lines: [{ ...line, amountCents: 0.5 }] }, 'lines.0.amountCents'],
    ['an amount beyond safe integers', { lines: [{ ...line, amountCents: 2 ** 53 }] }, 'lines.0.amountCents'],
    ['a total beyond safe integers', { lines: [line, { ...line, amountCents: Number.MAX_SAFE_INTEGER }] }, 'lines'],
    ['a character that cannot be stored', { region: 'E\0U' }, 'region'],
    ['half a character', { lines: [{ ...line, description: '\ud800' }] }, 'lines.0.description'],
    ['a region that is a number', { region: 5 }, 'region'],
    ['an actor that is no UUID', { actorId: 'me' }, 'actorId'],
    ['a simulated failure outside of demo mode', { simulateFailure: true }, 'simulateFailure'],
    ['a payload over the cap', { lines: [{ ...line, description: 'x'.repeat(4_000) }] }, 'payload'],
  ])('is refused by name and leaves nothing behind: %s', async (_, changes, path) => {
    const { status, headers, body } = await erp.request('POST', '/invoices', newInvoice(TENANT, changes));
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body).toMatchObject({ type: 'urn:kernel:problem:validation-failed', title: 'Bad Request', status: 400 });
    expect(body.traceId).toBe(headers.get('x-trace-id'));
    expect(body.errors.map((error) => error.path)).toContain(path);
    await expectNothingWritten();
  });

  it.each([
    ['an array', [], 'expected object'],
    ['nothing', undefined, 'tenantId: '],
    ['text', '"invoice"', 'expected object'],
    ['null', 'null', 'expected object'],
  ])('is refused when the body is %s', async (_, sent, detail) => {
    const { status, body } = await erp.request('POST', '/invoices', sent);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:validation-failed',
      detail: expect.stringContaining(detail),
    });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('answers 415 to %s', async (type) => {
    const { status, body } = await erp.request('POST', '/invoices', '{}', { 'content-type': type });
    expect(status).toBe(415);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:unsupported-body',
      detail: expect.stringContaining('send JSON in UTF-8'),
    });
    await expectNothingWritten();
  });

  it('tells malformed JSON without repeating it', async () => {
    const { status, headers, body } = await erp.request('POST', '/invoices', '{"email": "ada@example.com"', {
      'x-trace-id': 'trace-of-a-slip',
    });
    expect(status).toBe(400);
    expect(headers.get('x-trace-id')).toBe('trace-of-a-slip');
    expect(body).toMatchObject({ type: 'urn:kernel:problem:malformed-body', traceId: 'trace-of-a-slip' });
    expect(JSON.stringify(body)).not.toContain('ada');
  });

  it('answers 413 to a body over 1 MiB', async () => {
    const { status, body } = await erp.request('POST', '/invoices', `"${'x'.repeat(1_048_576)}"`);
    expect(status).toBe(413);
    expect(body).toMatchObject({ type: 'urn:kernel:problem:body-too-large', status: 413 });
  });

  it.each([
    ['PATCH', '/invoices/1', { note: 'x' }, 'id'],
    ['PATCH', `/invoices/${TENANT}`, { status: 'posted' }, 'status'],
    ['PATCH', `/invoices/${TENANT}`, { note: 5 }, 'note'],
    ['PATCH', `/invoices/${TENANT}`, {}, ''],
    ['POST', '/invoices/1/post', undefined, 'id'],
    ['POST', `/invoices/${TENANT}/post`, { when: 'now' }, 'when'],
    ['GET', '/invoices', undefined, 'tenantId'],
    ['GET', '/invoices?tenantId=acme', undefined, 'tenantId'],
    ['GET', `/invoices?tenantId=${TENANT}&limit=201`, undefined, 'limit'],
    ['GET', `/invoices?tenantId=${TENANT}&limit=0`, undefined, 'limit'],
    ['GET', `/invoices?tenantId=${TENANT}&cursor=next`, undefined, 'cursor'],
    ['GET', `/invoices?tenantId=${TENANT}&page=2`, undefined, 'page'],
  ])('is refused by name: %s %s %j', async (method, path, sent, field) => {
    const { status, body } = await erp.request(method, path, sent);
    expect(status).toBe(400);
    expect(body.errors.map((error) => error.path)).toContain(field);
  });

  it('[KER-6] names the variable that would let an endpoint in', async () => {
    const endpoint = { tenantId: TENANT, url: 'https://10.0.0.1/', subscribedTypes: ['invoice.created.v1'] };
    const { status, body } = await erp.request('POST', '/admin/eventbus/endpoints', endpoint, {
      authorization: `Bearer ${erp.settings.adminToken}`,
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ path: 'url', message: expect.stringContaining('EVENTBUS_ALLOWED_CIDRS') }]);
  });

  it('answers an unknown route with a problem too', async () => {
    const { status, headers, body } = await erp.request('GET', '/nowhere');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body).toMatchObject({ status: 404, title: 'Not Found' });
  });
});
