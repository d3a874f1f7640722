import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { text, type NextFunction, type Request, type Response } from 'express';
import { ADMIN, AdminApi, OPERATOR_TOKEN, TYPE } from '@kernel/test-support/admin-api';

const HEADERS = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };

/** Consumes a body and discards it, like some request loggers. */
function drainBody(request: Request, _: Response, next: NextFunction): void {
  request.resume().once('end', next);
}

it('a compressed body of a host that keeps the bytes is refused with 413 if they are over 1 MiB', async () => {
  const api = await AdminApi.start({
    nest: { rawBody: true },
    configure: (app) => (app as NestExpressApplication).useBodyParser('json', { limit: '5mb' }),
  });
  try {
    const answer = await fetch(`${api.url}${ADMIN}/prune`, {
      method: 'POST',
      headers: { ...HEADERS, 'content-encoding': 'gzip' },
      body: gzipSync(' '.repeat(1_100_000) + '{"dryRun":true}'),
    });
    expect(answer.status).toBe(413);
  } finally {
    await api.close();
  }
});

describe('a body that the host does not parse', () => {
  let api: AdminApi;
  const start = async (configure?: (app: INestApplication) => unknown) => {
    api = await AdminApi.start({ nest: { bodyParser: false }, configure: (app) => void configure?.(app) });
  };
  afterEach(() => api.close());

  const prune = (init: RequestInit, headers: Record<string, string> = {}) =>
    fetch(`${api.url}${ADMIN}/prune`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      ...init,
    });
  const chunked = (body: string): RequestInit => ({ body: new Blob([body]).stream(), duplex: 'half' });

  it('is read as JSON, whole, in chunks or compressed', async () => {
    await start();
    const order = JSON.stringify({ dryRun: true });
    const compressed = prune({ body: gzipSync(order) }, { 'content-encoding': 'gzip' });
    for (const answer of [await prune({ body: order }), await prune(chunked(order)), await compressed]) {
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ dryRun: true });
    }
    const nonsense = await prune({ body: '{"nonsense":true}' });
    expect(nonsense.status).toBe(400);
    expect(await nonsense.json()).toMatchObject({ errors: [{ path: 'nonsense', message: 'unknown field' }] });
  });

  it.each<[string, number, string, (pad: (length: number) => string) => RequestInit]>([
    ['no JSON', 400, 'malformed-body', () => ({ body: '{"dryRun":true' })],
    ['neither object nor list', 400, 'malformed-body', () => ({ body: 'true' })],
    ['too long', 413, 'body-too-large', (pad) => ({ body: pad(1_100_000) })],
    ['too long and in chunks', 413, 'body-too-large', (pad) => chunked(pad(1_100_000))],
  ])('which is %s is refused with %d %s', async (_, status, code, init) => {
    await start();
    const before = await api.countRows();
    const answer = await prune(init((length) => JSON.stringify({ alias: 'x'.repeat(length) })));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch('application/problem+json');
    const problem = await answer.text();
    expect(JSON.parse(problem)).toMatchObject({ type: `urn:kernel:problem:${code}`, status });
    expect(problem).not.toContain('dryRun');
    expect(await api.countRows()).toEqual(before);
  });

  it('which grows beyond 1 MiB when it is decompressed is refused with 413', async () => {
    await start();
    const answer = await prune({ body: gzipSync(' '.repeat(1_100_000) + '{}') }, { 'content-encoding': 'gzip' });
    expect(answer.status).toBe(413);
  });

  it.each<[string, number, (app: INestApplication) => unknown]>([
    ['reads and drops', 500, (app) => app.use(drainBody)],
    ['keeps as text', 400, (app) => app.use(text({ type: '*/*' }))],
  ])('which the host %s is refused with %d, not taken for none', async (_, status, configure) => {
    await start(configure);
    const answer = await prune({ body: '{"dryRun":true}' });
    expect(answer.status).toBe(status);
    const endpoint = { tenantId: randomUUID(), url: 'http://127.0.0.1:9/hook', types: [TYPE] };
    const { endpointId } = await api.kernel.addEndpoint(endpoint);
    const { body } = await api.operator.delete(`/endpoints/${endpointId}`).send({ dryRun: true }).expect(status);
    expect(body).toMatchObject({ status });
    await api.operator.get(`/endpoints/${endpointId}`).expect(200);
  });
});
