import type { HttpService } from '@nestjs/axios';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { cleanUp, serve, serveRaw, setup } from './fixtures/loopback.js';
import type { PinnedRequestConfig } from './undici-adapter.js';

const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown) => unhandled.push(reason);

beforeAll(() => void process.on('unhandledRejection', noteUnhandled));
afterEach(cleanUp);
afterAll(async () => {
  await new Promise(setImmediate);
  process.off('unhandledRejection', noteUnhandled);
  expect(unhandled).toEqual([]);
});

describe('OutgoingHttp', () => {
  it('posts the exact bytes to the vetted address under the host name of the URL', async () => {
    const seen = Promise.withResolvers<{ headers: object; url?: string; method?: string; body: string }>();
    const { port } = await serve(async (request, response) => {
      const { headers, url, method } = request;
      const body = Buffer.concat(await request.toArray()).toString();
      seen.resolve({ headers, url, method, body });
      response.writeHead(201, { 'retry-after': '7', 'x-twice': ['a', 'b'] }).end('thanks');
    });
    const body = Buffer.from('{ "spaces":  "kept", "ü": 1 }');
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1' };
    const result = await setup().post({ url: `http://x.test:${port}/hooks?a=b`, headers, body });
    expect(result).toMatchObject({ kind: 'response', statusCode: 201, bodyExcerpt: 'thanks' });
    expect(result).toMatchObject({ headers: { 'retry-after': '7', 'x-twice': 'a, b' }, latencyMs: expect.any(Number) });
    expect(await seen.promise).toMatchObject({ method: 'POST', url: '/hooks?a=b', body: body.toString() });
    expect((await seen.promise).headers).toMatchObject({
      ...headers,
      host: `x.test:${port}`,
      'accept-encoding': 'identity',
      'content-length': String(body.length),
    });
  });

  it('refuses before anything is sent: internal address, mixed answer, scheme', async () => {
    const internal = setup({ guard: { allowedCidrs: [] } });
    expect(await internal.post({ url: 'http://x.test/' })).toMatchObject({ kind: 'failure', errorClass: 'guard' });
    const mixed = setup({
      guard: {
        resolve: async () => [
          { address: '127.0.0.1', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ],
      },
    });
    expect(await mixed.post({ url: 'http://x.test/' })).toMatchObject({ errorClass: 'guard' });
    const httpsOnly = setup({ guard: { allowHttp: false } });
    expect(await httpsOnly.post({ url: 'http://x.test/' })).toMatchObject({ errorClass: 'guard' });
    expect([internal.pools.size, mixed.pools.size, httpsOnly.pools.size]).toEqual([0, 0, 0]);
  });

  it.each<Record<string, string>>([{ 'x-a': 'b\r\nx-evil: 1' }, { 'x\na': 'b' }, { host: 'other.test' }])(
    'refuses the headers %j',
    async (headers) => {
      const { post, pools } = setup();
      expect(await post({ url: 'http://x.test/', headers })).toMatchObject({ kind: 'failure', errorClass: 'guard' });
      expect(pools.size).toBe(0);
    },
  );

  it.each([301, 302, 307, 308])('does not follow a %i', async (statusCode) => {
    const paths: (string | undefined)[] = [];
    const { port } = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(statusCode, { location: '/elsewhere' }).end();
    });
    expect(await setup().post({ url: `http://x.test:${port}/` })).toMatchObject({ kind: 'response', statusCode });
    expect(paths).toEqual(['/']);
  });

  it.each([204, 400, 404, 410, 429, 500, 503])('gives a %i back as a response', async (statusCode) => {
    const { port } = await serve((_request, response) => response.writeHead(statusCode).end());
    expect(await setup().post({ url: `http://x.test:${port}/` })).toMatchObject({ kind: 'response', statusCode });
  });

  it('skips informational responses', async () => {
    const { port } = await serveRaw((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
      ),
    );
    expect(await setup().post({ url: `http://x.test:${port}/` })).toMatchObject({ statusCode: 200, bodyExcerpt: 'ok' });
  });

  it('cuts an endless body at the cap, keeps the status and drops the socket', async () => {
    const cut = Promise.withResolvers<void>();
    const { port } = await serve((_request, response) => {
      response.on('close', cut.resolve);
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(4_096)));
        if (!response.destroyed) response.once('drain', flood);
      };
      flood();
    });
    const result = await setup().post({ url: `http://x.test:${port}/` });
    expect(result).toMatchObject({ kind: 'response', statusCode: 200, bodyExcerpt: 'x'.repeat(1_024) });
    await cut.promise;
  });

  it('survives header names that collide with object members, and thousands of them', async () => {
    const hostile = ['constructor', '__proto__', 'normalize', 'get', 'set', 'hasOwnProperty', 'toString', 'then'];
    const many = Array.from({ length: 1_500 }, (_value, index) => `h${index}: 1`);
    const lines = [...hostile.flatMap((name) => [`${name}: 1`, `${name}: 2`]), ...many].join('\r\n');
    const { port } = await serveRaw((socket) =>
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${lines}\r\ncontent-length: 2\r\n\r\nok`)),
    );
    const result = await setup().post({ url: `http://x.test:${port}/` });
    expect(result).toMatchObject({ kind: 'response', statusCode: 200, bodyExcerpt: 'ok' });
    expect(Object.keys(result.kind === 'response' ? result.headers : {}).length).toBeLessThanOrEqual(100);
  });

  describe('deadline', () => {
    it.each([
      ['the receiver says nothing', () => {}],
      ['the body never ends', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart')],
      ['the headers never end', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: ')],
    ])('is a timeout when %s, and cuts the socket', async (_case, answer) => {
      const cut = Promise.withResolvers<void>();
      const { port } = await serveRaw((socket) =>
        socket.on('close', () => cut.resolve()).once('data', () => answer(socket)),
      );
      const result = await setup().post({ url: `http://x.test:${port}/`, timeoutMs: 100 });
      expect(result).toMatchObject({ kind: 'failure', errorClass: 'timeout' });
      await cut.promise;
    });

    it('covers DNS', async () => {
      const { post } = setup({ guard: { resolve: () => new Promise(() => {}) } });
      expect(await post({ url: 'http://x.test/', timeoutMs: 20 })).toMatchObject({ errorClass: 'timeout' });
    });

    it('covers the TLS handshake', async () => {
      const { port } = await serveRaw(() => {});
      expect(await setup().post({ url: `https://x.test:${port}/`, timeoutMs: 50 })).toMatchObject({
        errorClass: 'timeout',
      });
    });

    it('gives way to the caller, before and during the request', async () => {
      const { port } = await serveRaw((socket) => socket.once('data', () => caller.abort()));
      const caller = new AbortController();
      const { post } = setup();
      const cancelled = {
        kind: 'failure',
        errorClass: 'connection',
        message: 'the request was cancelled by the caller',
      };
      expect(await post({ url: `http://x.test:${port}/`, signal: caller.signal })).toMatchObject(cancelled);
      expect(await post({ url: `http://x.test:${port}/`, signal: caller.signal })).toMatchObject(cancelled);
    });
  });

  describe('failures', () => {
    it('reports a refused connection without the address', async () => {
      const { port, sockets } = await serveRaw(() => {});
      await cleanUp();
      expect(sockets.size).toBe(0);
      const result = await setup().post({ url: `http://x.test:${port}/` });
      expect(result).toMatchObject({ kind: 'failure', errorClass: 'connection' });
      expect(JSON.stringify(result)).not.toContain('127.0.0.1');
    });

    it('reports an unknown name', async () => {
      const notFound = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
      const { post } = setup({ guard: { resolve: () => Promise.reject(notFound) } });
      expect(await post({ url: 'http://x.test/' })).toMatchObject({ kind: 'failure', errorClass: 'dns' });
    });

    it.each([
      ['connection', 'a reset before the response', (socket: Socket) => socket.resetAndDestroy()],
      [
        'connection',
        'a reset in the middle of the body',
        (socket: Socket) =>
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart', () => socket.resetAndDestroy()),
      ],
      [
        'connection',
        'a close in the middle of the body',
        (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart'),
      ],
      ['protocol', 'something that is not HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
      [
        'protocol',
        'headers without end',
        (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(40_000)}\r\n\r\n`),
      ],
    ])('is a %s failure: %s', async (errorClass, _case, answer) => {
      const { port } = await serveRaw((socket) => socket.once('data', () => answer(socket)));
      expect(await setup().post({ url: `http://x.test:${port}/` })).toMatchObject({ kind: 'failure', errorClass });
    });

    it('throws what a host interceptor throws, because that is no answer of the network', async () => {
      const { http, post } = setup();
      http.axiosRef.interceptors.request.use(() => {
        throw new TypeError('bug in the host');
      });
      await expect(post({ url: 'http://x.test/' })).rejects.toThrow('bug in the host');
    });
  });

  describe.each([
    ['directly', () => undefined],
    ['through axios', (http: HttpService) => http.axiosRef.interceptors.request.use((config) => config)],
  ])('%s', (_way, intercept) => {
    const begin = () => {
      const outgoing = setup();
      intercept(outgoing.http);
      return outgoing;
    };

    it("sends the request's headers and the default ones of the host", async () => {
      const { port } = await serve((request, response) =>
        response.end(`${request.headers['x-own']} ${request.headers['x-default']}`),
      );
      const { http, post } = begin();
      http.axiosRef.defaults.headers.common['x-default'] = 'kept';
      const result = await post({ url: `http://x.test:${port}/`, headers: { 'x-own': '1' } });
      expect(result).toMatchObject({ statusCode: 200, bodyExcerpt: '1 kept' });
    });

    it('ends a request at its deadline', async () => {
      const { port } = await serve(() => undefined);
      const result = await begin().post({ url: `http://x.test:${port}/`, timeoutMs: 50 });
      expect(result).toMatchObject({ kind: 'failure', errorClass: 'timeout' });
    });

    it('ends a request with the signal of its caller', async () => {
      const caller = new AbortController();
      const { port } = await serve(() => caller.abort());
      const result = await begin().post({ url: `http://x.test:${port}/`, signal: caller.signal });
      expect(result).toMatchObject({ kind: 'failure', message: 'the request was cancelled by the caller' });
    });

    it('names the failure of a connection by its code', async () => {
      const { port } = await serveRaw((socket) => socket.destroy());
      const result = await begin().post({ url: `http://x.test:${port}/` });
      expect(result).toMatchObject({ kind: 'failure', errorClass: 'connection' });
    });
  });

  it.each([
    ['an answer', (response: ServerResponse) => response.writeHead(401).end()],
    ['a lost connection', (response: ServerResponse) => response.destroy()],
  ])('lets an interceptor send the request again after %s, within the same deadline', async (_case, first) => {
    let requests = 0;
    const { port } = await serve((_request, response) => {
      requests++;
      return requests === 1 ? first(response) : response.writeHead(204).end();
    });
    const { http, post } = setup();
    let config: PinnedRequestConfig | undefined;
    http.axiosRef.interceptors.request.use((sent) => {
      config ??= sent as unknown as PinnedRequestConfig;
      return sent;
    });
    const again = () => http.axiosRef.request(config!);
    http.axiosRef.interceptors.response.use((response) => (response.status === 401 ? again() : response), again);
    expect(await post({ url: `http://x.test:${port}/` })).toMatchObject({ kind: 'response', statusCode: 204 });
    expect(requests).toBe(2);
  });
});
