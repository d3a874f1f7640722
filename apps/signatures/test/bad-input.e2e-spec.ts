import { randomUUID } from 'node:crypto';
import { newRequest, startTestSignatures, type TestSignatures } from './start-test-signatures.js';

const NOBODY = randomUUID();

describe('bad input', () => {
  let signatures: TestSignatures;
  beforeAll(async () => {
    signatures = await startTestSignatures();
  });
  afterAll(() => signatures.close());

  it.each<[string, Record<string, unknown>, string]>([
    ['a tenant that is no UUID', { tenantId: 'acme' }, 'tenantId'],
    ['no customer', { customerId: undefined }, 'customerId'],
    ['a customer with a blank', { customerId: 'Ada L' }, 'customerId'],
    ['an unknown channel', { channel: 'PIGEON' }, 'channel'],
    ['an unknown risk', { riskLevel: 'NONE' }, 'riskLevel'],
    [
      'an amount of nothing',
      { transaction: { reference: 'x', amountCents: 0, currency: 'EUR' } },
      'transaction.amountCents',
    ],
    [
      'a currency that is none',
      { transaction: { reference: 'x', amountCents: 1, currency: '€' } },
      'transaction.currency',
    ],
    ['an unknown field', { colour: 'red' }, 'colour'],
    ['a life of nothing', { ttlSeconds: 0 }, 'ttlSeconds'],
    ['a life of days', { ttlSeconds: 86_401 }, 'ttlSeconds'],
  ])('is refused by name and leaves nothing behind: %s', async (_, changes, path) => {
    const { status, type, body } = await signatures.post('/signature-requests', newRequest(NOBODY, changes));
    expect([status, type]).toEqual([400, 'application/problem+json']);
    expect(body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect(await signatures.database.query('select from signature_request')).toEqual([]);
    expect(await signatures.database.query('select from kernel_outbox_event')).toEqual([]);
  });

  it.each<[number, string, object]>([
    [404, `${NOBODY}/challenge`, {}],
    [404, `${NOBODY}/complete`, { code: '123456' }],
    [404, `${NOBODY}/abort`, { reason: 'CUSTOMER' }],
    [400, '1/abort', { reason: 'CUSTOMER' }],
    [400, `${NOBODY}/abort`, { reason: 'TOO_MANY_FAILURES' }],
    [400, `${NOBODY}/complete`, { code: '12345a' }],
    [400, `${NOBODY}/challenge`, { channel: 'SMS' }],
  ])('is answered %i: POST %s %j', async (status, path, body) => {
    const answer = await signatures.post(`/signature-requests/${path}`, body);
    expect([answer.status, answer.type]).toEqual([status, 'application/problem+json']);
  });

  it('needs a challenge before an answer', async () => {
    const id = await signatures.start();
    const { status, body } = await signatures.post(`/signature-requests/${id}/complete`, { code: '123456' });
    expect([status, body.detail]).toEqual([409, 'no challenge has been sent yet']);
    const { status: unknown } = await signatures.http.get(`/demo/codes/${id}`);
    expect(unknown).toBe(404);
  });

  it('does not repeat a body that is not JSON', async () => {
    const answer = await signatures.http
      .post('/signature-requests')
      .set('content-type', 'application/json')
      .send('{"customerId": "ada-4711"');
    expect([answer.status, answer.body.type]).toEqual([400, 'urn:kernel:problem:malformed-body']);
    expect(JSON.stringify(answer.body)).not.toContain('ada-4711');
  });

  it('has its routes and the admin API described', async () => {
    const { body } = await signatures.http.get('/docs-json').expect(200);
    const described = ['', '/{id}', '/{id}/challenge', '/{id}/complete', '/{id}/abort', '/{id}/history'];
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([...described.map((path) => `/signature-requests${path}`), '/admin/eventbus/endpoints']),
    );
    await signatures.http.get('/health/ready').expect(200);
  });
});
