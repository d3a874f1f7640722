import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { cleanUp, serve, serveRaw, setup } from './fixtures/loopback.js';
import type { ResolvedAddress } from '../dns/resolver.js';

afterEach(cleanUp);

const allowed: ResolvedAddress = { address: '127.0.0.1', family: 4 };
const internal: ResolvedAddress = { address: '10.0.0.1', family: 4 };
const metadata: ResolvedAddress = { address: '::ffff:169.254.169.254', family: 6 };

/** A resolver that returns the given answers in sequence and records the names. */
function scripted(...answers: ResolvedAddress[][]) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return answers[Math.min(asked.length, answers.length) - 1]!;
  };
  return { asked, resolve };
}

/** Sends the same bytes to every client. */
const say = (...lines: string[]) => serveRaw((socket) => socket.once('data', () => socket.write(lines.join('\r\n'))));

describe('[KER-6] a name that moves', () => {
  it('is asked once per attempt: nothing moves between the look and the connection', async () => {
    const { port } = await serve((_request, response) => response.end('ok'));
    const { asked, resolve } = scripted([allowed], [internal]);
    expect(await setup({ guard: { resolve } }).post({ url: `http://x.test:${port}/` })).toMatchObject({
      statusCode: 200,
    });
    expect(asked).toEqual(['x.test']);
  });

  it('is vetted again at every attempt, also while a socket to its old address is open', async () => {
    let requests = 0;
    const { port } = await serve((_request, response) => response.end(String(++requests)));
    const { asked, resolve } = scripted([allowed], [internal], [metadata], [allowed]);
    const { post } = setup({ guard: { resolve } });
    const results = [];
    for (let attempt = 0; attempt < 4; attempt++) results.push(await post({ url: `http://x.test:${port}/` }));
    expect(results).toMatchObject([
      { statusCode: 200, bodyExcerpt: '1' },
      { errorClass: 'guard' },
      { errorClass: 'guard' },
      { statusCode: 200, bodyExcerpt: '2' },
    ]);
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['behind it', [allowed, internal]],
    ['before it', [internal, allowed]],
    ['among many', [allowed, allowed, metadata, allowed]],
    ['as nonsense', [allowed, { address: 'x.test', family: 4 as const }]],
    ['with a zone', [allowed, { address: 'fe80::1%lo', family: 6 as const }]],
  ])('is refused whole when an address that is not allowed stands %s', async (_where, answers) => {
    let requests = 0;
    const { port } = await serve((_request, response) => response.end(String(++requests)));
    const result = await setup({ guard: { resolve: async () => answers } }).post({ url: `http://x.test:${port}/` });
    expect(result).toMatchObject({ kind: 'failure', errorClass: 'guard' });
    expect(JSON.stringify(result)).not.toMatch(/10\.0\.0\.1|169\.254|127\.0\.0\.1|fe80/);
    expect(requests).toBe(0);
  });
});

describe('[KER-6] a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'of %i to an address that is not allowed is a response, and never followed',
    async (statusCode) => {
      let visits = 0;
      const inner = await serve((_request, response) => response.end(String(++visits)));
      const locations = [
        `http://127.0.0.1:${inner.port}/`,
        `//127.0.0.1:${inner.port}/`,
        'http://169.254.169.254/latest/meta-data/',
        'file:///etc/passwd',
        '\0',
      ];
      const outer = await serveRaw((socket) =>
        socket.on('data', () =>
          socket.write(`HTTP/1.1 ${statusCode} Moved\r\nlocation: ${locations.shift()}\r\ncontent-length: 0\r\n\r\n`),
        ),
      );
      const { post, pools } = setup();
      while (locations.length > 1) {
        expect(await post({ url: `http://x.test:${outer.port}/` })).toMatchObject({ kind: 'response', statusCode });
      }
      expect(await post({ url: `http://x.test:${outer.port}/` })).toMatchObject({ errorClass: 'protocol' });
      expect([visits, pools.size]).toEqual([0, 1]);
    },
  );
});

describe('[KER-6] a receiver that means harm', () => {
  it('never has its compressed answer unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_024 * 1_024, 'A'));
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb),
    );
    const result = await setup().post({ url: `http://x.test:${port}/` });
    expect(result).toMatchObject({ kind: 'response', statusCode: 200 });
    expect(result).not.toMatchObject({ bodyExcerpt: expect.stringContaining('AAAA') });
  });

  const repeat = (socket: Socket, text: string, everyMs: number) => {
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
  it.each<[string, (socket: Socket) => unknown]>([
    ['a body that drips', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n', () => repeat(socket, 'x', 5))],
    [
      'a chunk that never begins',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', () => repeat(socket, 'x=y;', 5)),
    ],
    ['interim responses without end', (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 5)],
    ['a status line that drips', (socket) => socket.write('HTTP/1.1 200 ', () => repeat(socket, 'O', 5))],
  ])('is cut at the deadline: %s', async (_how, answer) => {
    const cut = Promise.withResolvers<void>();
    const { port } = await serveRaw((socket) =>
      socket.on('close', () => cut.resolve()).once('data', () => answer(socket)),
    );
    const result = await setup().post({ url: `http://x.test:${port}/`, timeoutMs: 150 });
    expect(result).toMatchObject({ kind: 'failure', errorClass: 'timeout' });
    await cut.promise;
  });

  it.each<[string, string, string[]]>([
    ['protocol', 'one huge header', ['HTTP/1.1 200 OK', `x: ${'a'.repeat(1_000_000)}`, '', '']],
    ['protocol', 'a huge number of headers', ['HTTP/1.1 200 OK', ...Array<string>(50_000).fill('x: y'), '', '']],
    [
      'protocol',
      'huge trailers',
      ['HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '0', `x: ${'a'.repeat(1_000_000)}`, '', ''],
    ],
    ['protocol', 'two lengths', ['HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 2', '', 'xx']],
    [
      'protocol',
      'a length and chunks',
      ['HTTP/1.1 200 OK', 'content-length: 5', 'transfer-encoding: chunked', '', '0', '', ''],
    ],
    ['protocol', 'a negative length', ['HTTP/1.1 200 OK', 'content-length: -1', '', '']],
    ['protocol', 'a length beyond numbers', ['HTTP/1.1 200 OK', `content-length: ${'9'.repeat(40)}`, '', '']],
    ['protocol', 'a chunk beyond numbers', ['HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', 'f'.repeat(40), '']],
    ['protocol', 'a status of four digits', ['HTTP/1.1 2000 OK', 'content-length: 0', '', '']],
    ['protocol', 'HTTP/2 without being asked', ['HTTP/2 200', '', '']],
    [
      'connection',
      'another protocol without being asked',
      ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade', '', ''],
    ],
  ])('is a %s failure: %s', async (errorClass, _what, lines) => {
    const { port } = await say(...lines);
    const result = await setup().post({ url: `http://x.test:${port}/` });
    expect(result).toMatchObject({ kind: 'failure', errorClass });
    expect(JSON.stringify(result).length).toBeLessThan(500);
  });
});
