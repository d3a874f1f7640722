import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import axios from 'axios';
import { OutgoingGuard } from './outgoing-guard.js';
import type { OutgoingGuardOptions } from './outgoing-guard.js';
import { OutgoingHttp } from './outgoing-http.js';
import type { OutgoingRequest } from './outgoing-http.js';
import { PinnedPools } from './pinned-pools.js';
import type { PinnedPoolsOptions } from './pinned-pools.js';

const key = readFileSync(new URL('./fixtures/x.test.key.pem', import.meta.url));
const cert = readFileSync(new URL('./fixtures/x.test.cert.pem', import.meta.url));
const cleanups: (() => unknown)[] = [];
const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown) => unhandled.push(reason);

beforeAll(() => void process.on('unhandledRejection', noteUnhandled));
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  await new Promise(setImmediate);
  process.off('unhandledRejection', noteUnhandled);
  expect(unhandled).toEqual([]);
});

function setup(options: { guard?: Partial<OutgoingGuardOptions>; pools?: PinnedPoolsOptions } = {}) {
  const http = new HttpService(axios.create());
  const pools = new PinnedPools({ closeGraceMs: 0, ...options.pools });
  const guard = new OutgoingGuard({
    allowHttp: true,
    allowedCidrs: ['127.0.0.0/8'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    ...options.guard,
  });
  cleanups.push(() => pools.close());
  const outgoing = new OutgoingHttp(http, guard, pools);
  const post = (request: Partial<OutgoingRequest> & { url: string }) =>
    outgoing.post({ headers: {}, body: '{}', timeoutMs: 30_000, ...request });
  return { http, pools, outgoing, post };
}

async function listen(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

const serve = (listener: RequestListener) => listen(createServer(listener));
const serveRaw = (onSocket: (socket: Socket) => void) => listen(createTcpServer(onSocket));
const serveTls = (listener: RequestListener) => listen(createTlsServer({ key, cert }, listener));

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
      for (const cleanup of cleanups.splice(0)) await cleanup();
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

  describe('TLS', () => {
    it('proves the host name while connected to the pinned address', async () => {
      const { port } = await serveTls((request, response) => response.end(request.headers.host));
      const { post } = setup({ pools: { ca: cert } });
      expect(await post({ url: `https://x.test:${port}/` })).toMatchObject({
        statusCode: 200,
        bodyExcerpt: `x.test:${port}`,
      });
      expect(await post({ url: `https://x.test.:${port}/` })).toMatchObject({ statusCode: 200 });
    });

    it.each([
      ['an untrusted certificate', 'x.test', undefined],
      ['a certificate of another host', 'y.test', cert],
      ['a certificate that does not name the address', '127.0.0.1', cert],
    ])('is a tls failure: %s', async (_case, host, ca) => {
      const requests: unknown[] = [];
      const { port } = await serveTls((request) => requests.push(request));
      const result = await setup({ pools: { ca } }).post({ url: `https://${host}:${port}/` });
      expect(result).toMatchObject({ kind: 'failure', errorClass: 'tls' });
      expect(requests).toEqual([]);
    });

    it('is a tls failure: plain http behind https', async () => {
      const { port } = await serve((_request, response) => response.end());
      expect(await setup().post({ url: `https://x.test:${port}/` })).toMatchObject({ errorClass: 'tls' });
    });
  });

  describe('connections', () => {
    it('reuses one socket for posts one after the other', async () => {
      const ports = new Set<number | undefined>();
      const { port } = await serve((request, response) => {
        ports.add(request.socket.remotePort);
        response.end('ok');
      });
      // Undici frees a socket a turn after the response; with room for two it would open a second one meanwhile.
      const { post } = setup({ pools: { connectionsPerPool: 1 } });
      for (let count = 0; count < 5; count++) await post({ url: `http://x.test:${port}/` });
      expect(ports.size).toBe(1);
    });

    it('keeps 64 in flight to one endpoint', async () => {
      const waiting: (() => void)[] = [];
      const { port } = await serve((_request, response) => {
        waiting.push(() => response.end('ok'));
        if (waiting.length === 64) for (const answer of waiting) answer();
      });
      const { post } = setup();
      const results = await Promise.all(Array.from({ length: 64 }, () => post({ url: `http://x.test:${port}/` })));
      expect(results.filter((result) => result.kind === 'response')).toHaveLength(64);
    });

    it('never sends what was cancelled while it waited for a socket, and keeps that socket', async () => {
      const seen: unknown[] = [];
      const arrived = Promise.withResolvers<() => void>();
      const ports = new Set<number | undefined>();
      const { port } = await serve((request, response) => {
        seen.push(request.headers['x-n']);
        ports.add(request.socket.remotePort);
        arrived.resolve(() => response.end());
        if (seen.length > 1) response.end();
      });
      const { post } = setup({ pools: { connectionsPerPool: 1 } });
      const numbered = (n: string, signal?: AbortSignal) =>
        post({ url: `http://x.test:${port}/`, headers: { 'x-n': n }, signal });
      const first = numbered('1');
      const answer = await arrived.promise;
      const caller = new AbortController();
      const second = numbered('2', caller.signal);
      await new Promise(setImmediate);
      caller.abort();
      expect(await second).toMatchObject({ errorClass: 'connection' });
      answer();
      expect(await first).toMatchObject({ statusCode: 200 });
      expect(await numbered('3')).toMatchObject({ statusCode: 200 });
      expect([seen, ports.size]).toEqual([['1', '3'], 1]);
    });

    it('leaves no socket behind after shutdown, and says so to late callers', async () => {
      const { port, sockets } = await serve((_request, response) => response.end('ok'));
      const { post, outgoing } = setup();
      await Promise.all([1, 2, 3].map(() => post({ url: `http://x.test:${port}/` })));
      const open = [...sockets];
      expect(open).toHaveLength(3);
      await Promise.all([outgoing.onApplicationShutdown(), ...open.map((socket) => once(socket, 'close'))]);
      expect(await post({ url: `http://x.test:${port}/` })).toMatchObject({
        kind: 'failure',
        errorClass: 'connection',
      });
    });
  });

  it('is wired by Nest, passes through the host’s interceptors and closes with the application', async () => {
    const { port } = await serve((request, response) => response.end(request.headers['x-host']));
    const pools = new PinnedPools();
    const guard = new OutgoingGuard({ allowHttp: true, allowedCidrs: ['127.0.0.0/8'] });
    const module = await Test.createTestingModule({
      imports: [HttpModule.register({})],
      providers: [{ provide: OutgoingGuard, useValue: guard }, { provide: PinnedPools, useValue: pools }, OutgoingHttp],
    }).compile();
    module.get(HttpService).axiosRef.interceptors.request.use((config) => {
      config.headers.set('x-host', 'was here');
      return config;
    });
    const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: '', timeoutMs: 30_000 };
    expect(await module.get(OutgoingHttp).post(request)).toMatchObject({ statusCode: 200, bodyExcerpt: 'was here' });
    await module.close();
    expect(() => pools.acquire('http://x.test', { address: '127.0.0.1', family: 4 })).toThrow('shutting down');
  });
});
