import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { HttpModule, HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import { cert, cleanUp, expiredCert, serve, serveTls, setup } from './fixtures/loopback.js';
import { OutgoingGuard } from '../guard/outgoing-guard.js';
import { OutgoingHttp } from './outgoing-http.js';
import { PinnedPools } from './pinned-pools.js';

afterEach(cleanUp);

describe('OutgoingHttp connections', () => {
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

    it('[KER-6] is a tls failure: a certificate that has expired', async () => {
      const requests: unknown[] = [];
      const { port } = await serveTls((request) => requests.push(request), expiredCert);
      const result = await setup({ pools: { ca: expiredCert } }).post({ url: `https://x.test:${port}/` });
      expect(result).toMatchObject({ errorClass: 'tls', message: expect.stringContaining('CERT_HAS_EXPIRED') });
      expect(requests).toEqual([]);
    });

    it('[KER-6] is a tls failure also where the environment would let any certificate pass', async () => {
      const requests: unknown[] = [];
      const { port } = await serveTls((request, response) => {
        requests.push(request);
        response.end();
      });
      const code = `
        const { PinnedPools } = await import(${JSON.stringify(new URL('./pinned-pools.ts', import.meta.url).href)});
        const pool = new PinnedPools().acquire('https://x.test:${port}', { address: '127.0.0.1', family: 4 });
        await pool.request({ path: '/', method: 'POST' }).catch((error) => console.log(error.code));
        await pool.destroy();`;
      // A separate process, because jest gives its tests a copy of the environment.
      const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
      expect(stdout.trim()).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
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
    const owner = { tenantId: 'acme', urlSetByOperator: true };
    const request = { ...owner, url: `http://127.0.0.1:${port}/`, headers: {}, body: '', timeoutMs: 30_000 };
    expect(await module.get(OutgoingHttp).post(request)).toMatchObject({ statusCode: 200, bodyExcerpt: 'was here' });
    await module.close();
    expect(() => pools.acquire('http://x.test', { address: '127.0.0.1', family: 4 })).toThrow('shutting down');
  });
});
