import { OutgoingGuard } from './outgoing-guard.js';
import type { OutgoingGuardOptions } from './outgoing-guard.js';
import { createSystemResolver } from './system-resolver.js';
import type { ResolvedAddress } from './system-resolver.js';

const publicAddress: ResolvedAddress = { address: '93.184.215.14', family: 4 };
const metadata: ResolvedAddress = { address: '169.254.169.254', family: 4 };

function setup(options: Partial<OutgoingGuardOptions> = {}) {
  const asked: string[] = [];
  const guard = new OutgoingGuard({
    allowHttp: false,
    allowedCidrs: [],
    resolve: async (hostname) => {
      asked.push(hostname);
      return [publicAddress];
    },
    ...options,
  });
  return { guard, asked, signal: new AbortController().signal };
}

describe('OutgoingGuard.checkUrl', () => {
  it.each([
    'https://example.com/hooks?a=1',
    'https://example.com:8443/',
    'https://93.184.215.14/',
    'https://bücher.example/',
  ])('allows %s without asking DNS', (url) => {
    const { guard, asked } = setup();
    expect(guard.checkUrl(url)).toMatchObject({ isAllowed: true });
    expect(asked).toEqual([]);
  });

  it('drops a trailing dot, which certificates do not know', () => {
    const verdict = setup().guard.checkUrl('https://example.com.:8443/a');
    expect(verdict.isAllowed && verdict.url.href).toBe('https://example.com:8443/a');
  });

  it.each([
    ['scheme', 'http://example.com/', 'set allowHttp to true'],
    ['scheme', 'ftp://example.com/', 'use https'],
    ['scheme', 'file:///etc/passwd', 'use https'],
    ['scheme', 'javascript:alert(1)', 'use https'],
    ['userinfo', 'https://user:s3cret@example.com/', 'header'],
    ['userinfo', 'https://user@example.com/', 'header'],
    ['fragment', 'https://example.com/#part', 'remove it'],
    ['malformed', 'example.com/hooks', 'https://example.com'],
    ['malformed', 'https://', 'https://example.com'],
    ['malformed', '', 'https://example.com'],
    ['malformed', 'https://exam\nple.com/', 'control character'],
    ['malformed', 'https://example.com/a b', 'space'],
    ['malformed', 'https://example..com/', 'empty label'],
    ['malformed', 'https://999.1.1.1/', 'https://example.com'],
  ])('refuses with %s: %j', (code, url, fix) => {
    const verdict = setup().guard.checkUrl(url);
    expect(verdict).toMatchObject({ isAllowed: false, code, message: expect.stringContaining(fix) });
    expect(JSON.stringify(verdict)).not.toContain('s3cret');
  });

  it.each([
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://0/',
    'https://%31%32%37.0.0.1/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
  ])('refuses the address in %s and names the fix', (url) => {
    expect(setup().guard.checkUrl(url)).toMatchObject({
      isAllowed: false,
      code: 'address',
      message: expect.stringContaining('add its range to allowedCidrs'),
    });
  });

  it('names the settings as operators of the application know them', () => {
    const { guard } = setup({ settingNames: { allowHttp: 'ALLOW_HTTP', allowedCidrs: 'ALLOWED_CIDRS' } });
    expect(guard.checkUrl('http://example.com/')).toMatchObject({ message: expect.stringContaining('ALLOW_HTTP') });
    expect(guard.checkUrl('https://10.0.0.1/')).toMatchObject({ message: expect.stringContaining('ALLOWED_CIDRS') });
  });

  it('allows plain http and listed ranges when the operator says so', () => {
    const { guard } = setup({ allowHttp: true, allowedCidrs: ['127.0.0.0/8'] });
    expect(guard.checkUrl('http://127.0.0.1:3001/')).toMatchObject({ isAllowed: true });
    expect(guard.checkUrl('http://[::ffff:127.0.0.1]:3001/')).toMatchObject({ isAllowed: true });
    expect(guard.checkUrl('http://10.0.0.1/')).toMatchObject({ isAllowed: false, code: 'address' });
    expect(guard.checkUrl('http://[::1]/')).toMatchObject({ isAllowed: false, code: 'address' });
  });

  it('lets an allowed origin be plain http on an address that is not public, and nothing beside it', () => {
    const { guard } = setup({ allowedOrigins: ['http://127.0.0.1:3001', 'http://[::1]:3001'] });
    for (const url of ['http://127.0.0.1:3001/webhooks', 'http://127.1:3001/', 'http://[::1]:3001/']) {
      expect(guard.checkUrl(url)).toMatchObject({ isAllowed: true });
    }
    expect(guard.checkUrl('http://127.0.0.1:3000/')).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://127.0.0.1/')).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://localhost:3001/')).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://example.com:3001/')).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://127.0.0.1:3001@example.com/')).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('https://127.0.0.1:3001/')).toMatchObject({ code: 'address' });
    expect(guard.checkUrl('https://[::ffff:127.0.0.1]:3001/')).toMatchObject({ code: 'address' });
    expect(guard.checkUrl('http://user@127.0.0.1:3001/')).toMatchObject({ code: 'userinfo' });
  });
});

describe('OutgoingGuard.vet', () => {
  it('resolves once and pins the first address', async () => {
    const { guard, asked, signal } = setup();
    expect(await guard.vet('https://example.com/a', signal)).toMatchObject({ isAllowed: true, ...publicAddress });
    expect(asked).toEqual(['example.com']);
  });

  it('asks again at every attempt', async () => {
    const answers = [[publicAddress], [metadata]];
    const { guard, signal } = setup({ resolve: async () => answers.shift()! });
    expect(await guard.vet('https://rebind.test/', signal)).toMatchObject({ isAllowed: true });
    expect(await guard.vet('https://rebind.test/', signal)).toMatchObject({ isAllowed: false, code: 'address' });
  });

  it.each([
    ['last', [publicAddress, metadata]],
    ['first', [metadata, publicAddress]],
    ['in the other family', [publicAddress, { address: '::1', family: 6 as const }]],
  ])('refuses a mixed answer with the internal address %s, and does not show it', async (_where, answers) => {
    const { guard, signal } = setup({ resolve: async () => answers });
    const verdict = await guard.vet('https://mixed.test/', signal);
    expect(verdict).toMatchObject({ isAllowed: false, code: 'address' });
    expect(JSON.stringify(verdict)).not.toMatch(/169\.254|::1|93\.184/);
  });

  it('takes an address in the URL as it is', async () => {
    const { guard, asked, signal } = setup({ allowedCidrs: ['127.0.0.0/8'] });
    expect(await guard.vet('https://[::ffff:7f00:1]/', signal)).toMatchObject({ address: '127.0.0.1', family: 4 });
    expect(asked).toEqual([]);
  });

  it('pins the address of an allowed origin, and remembers it for no other', async () => {
    const { guard, signal } = setup({ allowedOrigins: ['http://127.0.0.1:3001'] });
    expect(await guard.vet('http://127.0.0.1:3001/', signal)).toMatchObject({ address: '127.0.0.1', family: 4 });
    expect(await guard.vet('https://127.0.0.1:3002/', signal)).toMatchObject({ isAllowed: false, code: 'address' });
  });

  it('vets what the host name of an allowed origin resolves to', async () => {
    const { guard, signal } = setup({ allowedOrigins: ['http://receiver.test'], resolve: async () => [metadata] });
    expect(await guard.vet('http://receiver.test/', signal)).toMatchObject({ isAllowed: false, code: 'address' });
  });

  it('pins a v4-mapped answer as IPv4', async () => {
    const { guard, signal } = setup({ resolve: async () => [{ address: '::ffff:8.8.8.8', family: 6 }] });
    expect(await guard.vet('https://mapped.test/', signal)).toMatchObject({ address: '8.8.8.8', family: 4 });
  });

  it('checks policy before DNS, for a parsed URL too', async () => {
    const { guard, asked, signal } = setup();
    expect(await guard.vet(new URL('http://example.com/'), signal)).toMatchObject({ code: 'scheme' });
    expect(asked).toEqual([]);
  });

  it('tells an unknown name and an empty answer apart from a refusal', async () => {
    const unknown = setup({ resolve: () => Promise.reject(Object.assign(new Error('raw'), { code: 'ENOTFOUND' })) });
    expect(await unknown.guard.vet('https://nowhere.test/', unknown.signal)).toMatchObject({
      code: 'dns',
      message: 'nowhere.test does not resolve (ENOTFOUND): check the host name',
    });
    const empty = setup({ resolve: async () => [] });
    expect(await empty.guard.vet('https://empty.test/', empty.signal)).toMatchObject({ code: 'dns' });
  });

  it('gives up when the signal fires, even if the resolver does not', async () => {
    const { guard } = setup({ resolve: () => new Promise(() => {}) });
    const controller = new AbortController();
    const verdict = guard.vet('https://slow.test/', controller.signal);
    controller.abort();
    expect(await verdict).toMatchObject({ isAllowed: false, code: 'aborted' });
  });
});

describe('createSystemResolver', () => {
  it('shares one question between those who ask at the same time, and keeps no answer', async () => {
    const asked: string[] = [];
    const resolve = createSystemResolver(async (hostname) => {
      asked.push(hostname);
      return [publicAddress];
    });
    const { signal } = new AbortController();
    await Promise.all([resolve('a.test', signal), resolve('a.test', signal), resolve('b.test', signal)]);
    expect(asked).toEqual(['a.test', 'b.test']);
    await resolve('a.test', signal);
    expect(asked).toEqual(['a.test', 'b.test', 'a.test']);
  });

  it('asks the system by default', async () => {
    const { guard, signal } = setup({ resolve: undefined, allowHttp: true, allowedCidrs: ['127.0.0.0/8', '::1/128'] });
    expect(await guard.vet('http://localhost/', signal)).toMatchObject({ isAllowed: true });
  });

  it('leaves one waiter alone when another gives up', async () => {
    const answer = Promise.withResolvers<ResolvedAddress[]>();
    const resolve = createSystemResolver(() => answer.promise);
    const impatient = new AbortController();
    const first = resolve('a.test', impatient.signal);
    const second = resolve('a.test', new AbortController().signal);
    impatient.abort(new Error('gave up'));
    answer.resolve([publicAddress]);
    await expect(first).rejects.toThrow('gave up');
    await expect(second).resolves.toEqual([publicAddress]);
  });
});
