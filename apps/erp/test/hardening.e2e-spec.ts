import { request as send } from 'node:http';
import { startTestErp, SETTINGS, type TestErp } from '@kernel/test-support/start-test-erp';

interface RawAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

describe('the ERP hardened', () => {
  let erp: TestErp;
  beforeAll(async () => {
    erp = await startTestErp();
  });
  afterAll(() => erp.close());

  /** Bypasses `fetch`, which would normalize paths. */
  const ask = (method: string, path: string, body = '', headers: Record<string, string> = {}) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const { port } = new URL(erp.url);
      const outgoing = send({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
        );
      });
      outgoing.on('error', reject).end(body);
    });
  const json = { 'content-type': 'application/json', authorization: `Bearer ${SETTINGS.adminToken}` };

  it.each<[string, string, string, string, Record<string, string>, number]>([
    ['an unknown route', 'GET', '/nowhere', '', {}, 404],
    ['an unknown admin route', 'GET', '/admin/eventbus/nowhere', '', json, 404],
    ['a path that cannot be decoded', 'GET', '/admin/eventbus/endpoints/%E0%A4%A', '', json, 400],
    ['a body that is cut off', 'POST', '/invoices', '{"tenantId": ', json, 400],
    [
      'a body in an unknown character set',
      'POST',
      '/invoices',
      '{}',
      { 'content-type': 'application/json; charset=x' },
      415,
    ],
    ['a body in an unknown coding', 'POST', '/invoices', '{}', { ...json, 'content-encoding': 'x' }, 415],
    ['a body over 1 MiB', 'POST', '/admin/eventbus/endpoints', `"${'x'.repeat(1_048_576)}"`, json, 413],
    ['a method nobody knows here', 'PROPFIND', '/invoices', '', {}, 404],
  ])(
    'answers %s without a word of the inside, with security headers',
    async (_, method, path, body, headers, status) => {
      const answer = await ask(method, path, body, headers);
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toMatch('application/problem+json');
      expect(answer.text).not.toMatch(/node_modules|\.[jt]s:\d+|\bat .+\(/);
      expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(answer.headers).not.toHaveProperty('x-powered-by');
    },
  );

  it('keeps the stricter headers of the admin API, and serves the docs under its own', async () => {
    const admin = await ask('GET', '/admin/eventbus/endpoints', '', json);
    expect(admin.headers['content-security-policy']).toContain("default-src 'none'");
    const docs = await ask('GET', '/docs');
    expect(docs.status).toBe(200);
    expect(docs.headers['x-content-type-options']).toBe('nosniff');
    expect(docs.text).not.toMatch(/<script>/);
  });
});
