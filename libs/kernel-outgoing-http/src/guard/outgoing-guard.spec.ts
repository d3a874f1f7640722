import { OutgoingGuard, type OutgoingGuardOptions } from './outgoing-guard.js';
import { LookUpTimeoutError } from '../dns/look-ups.js';
import type { ResolvedAddress, UrlOwner } from '../dns/resolver.js';

const publicAddress: ResolvedAddress = { address: '93.184.215.14', family: 4 };
const metadata: ResolvedAddress = { address: '169.254.169.254', family: 4 };
const operator: UrlOwner = { tenantId: 'acme', urlSetByOperator: true };
const tenantAdmin: UrlOwner = { tenantId: 'acme', urlSetByOperator: false };

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
    expect(guard.checkUrl(url, operator)).toMatchObject({ isAllowed: true });
    expect(asked).toEqual([]);
  });

  it('drops a trailing dot, which certificates do not know', () => {
    const verdict = setup().guard.checkUrl('https://example.com.:8443/a', operator);
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
    const verdict = setup().guard.checkUrl(url, operator);
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
    expect(setup().guard.checkUrl(url, operator)).toMatchObject({
      isAllowed: false,
      code: 'address',
      message: expect.stringContaining('add its range to allowedCidrs'),
    });
  });

  it('names the settings as operators of the application know them', () => {
    const { guard } = setup({ settingNames: { allowHttp: 'ALLOW_HTTP', allowedCidrs: 'ALLOWED_CIDRS' } });
    expect(guard.checkUrl('http://example.com/', operator)).toMatchObject({
      message: expect.stringContaining('ALLOW_HTTP'),
    });
    expect(guard.checkUrl('https://10.0.0.1/', operator)).toMatchObject({
      message: expect.stringContaining('ALLOWED_CIDRS'),
    });
  });

  it('allows plain http and listed ranges when the operator says so', () => {
    const { guard } = setup({ allowHttp: true, allowedCidrs: ['127.0.0.0/8'] });
    expect(guard.checkUrl('http://127.0.0.1:3001/', operator)).toMatchObject({ isAllowed: true });
    expect(guard.checkUrl('http://[::ffff:127.0.0.1]:3001/', operator)).toMatchObject({ isAllowed: true });
    expect(guard.checkUrl('http://10.0.0.1/', operator)).toMatchObject({ isAllowed: false, code: 'address' });
    expect(guard.checkUrl('http://[::1]/', operator)).toMatchObject({ isAllowed: false, code: 'address' });
  });

  it('lets an allowed origin be plain http on an address that is not public, and nothing beside it', () => {
    const { guard } = setup({ allowedOrigins: ['http://127.0.0.1:3001', 'http://[::1]:3001'] });
    for (const url of ['http://127.0.0.1:3001/webhooks', 'http://127.1:3001/', 'http://[::1]:3001/']) {
      expect(guard.checkUrl(url, operator)).toMatchObject({ isAllowed: true });
    }
    expect(guard.checkUrl('http://127.0.0.1:3000/', operator)).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://127.0.0.1/', operator)).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://localhost:3001/', operator)).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://example.com:3001/', operator)).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('http://127.0.0.1:3001@example.com/', operator)).toMatchObject({ code: 'scheme' });
    expect(guard.checkUrl('https://127.0.0.1:3001/', operator)).toMatchObject({ code: 'address' });
    expect(guard.checkUrl('https://[::ffff:127.0.0.1]:3001/', operator)).toMatchObject({ code: 'address' });
    expect(guard.checkUrl('http://user@127.0.0.1:3001/', operator)).toMatchObject({ code: 'userinfo' });
  });
});

describe('OutgoingGuard.vet', () => {
  it('resolves once and pins the first address', async () => {
    const { guard, asked, signal } = setup();
    expect(await guard.vet('https://example.com/a', operator, signal)).toMatchObject({
      isAllowed: true,
      ...publicAddress,
    });
    expect(asked).toEqual(['example.com']);
  });

  it('asks again at every attempt', async () => {
    const answers = [[publicAddress], [metadata]];
    const { guard, signal } = setup({ resolve: async () => answers.shift()! });
    expect(await guard.vet('https://rebind.test/', operator, signal)).toMatchObject({ isAllowed: true });
    expect(await guard.vet('https://rebind.test/', operator, signal)).toMatchObject({
      isAllowed: false,
      code: 'address',
    });
  });

  it.each([
    ['last', [publicAddress, metadata]],
    ['first', [metadata, publicAddress]],
    ['in the other family', [publicAddress, { address: '::1', family: 6 as const }]],
  ])('refuses a mixed answer with the internal address %s, and does not show it', async (_where, answers) => {
    const { guard, signal } = setup({ resolve: async () => answers });
    const verdict = await guard.vet('https://mixed.test/', operator, signal);
    expect(verdict).toMatchObject({ isAllowed: false, code: 'address' });
    expect(JSON.stringify(verdict)).not.toMatch(/169\.254|::1|93\.184/);
  });

  it('takes an address in the URL as it is', async () => {
    const { guard, asked, signal } = setup({ allowedCidrs: ['127.0.0.0/8'] });
    expect(await guard.vet('https://[::ffff:7f00:1]/', operator, signal)).toMatchObject({
      address: '127.0.0.1',
      family: 4,
    });
    expect(asked).toEqual([]);
  });

  it('pins the address of an allowed origin, and remembers it for no other', async () => {
    const { guard, signal } = setup({ allowedOrigins: ['http://127.0.0.1:3001'] });
    expect(await guard.vet('http://127.0.0.1:3001/', operator, signal)).toMatchObject({
      address: '127.0.0.1',
      family: 4,
    });
    expect(await guard.vet('https://127.0.0.1:3002/', operator, signal)).toMatchObject({
      isAllowed: false,
      code: 'address',
    });
  });

  it('vets what the host name of an allowed origin resolves to', async () => {
    const { guard, signal } = setup({ allowedOrigins: ['http://receiver.test'], resolve: async () => [metadata] });
    expect(await guard.vet('http://receiver.test/', operator, signal)).toMatchObject({
      isAllowed: false,
      code: 'address',
    });
  });

  it('pins a v4-mapped answer as IPv4', async () => {
    const { guard, signal } = setup({ resolve: async () => [{ address: '::ffff:8.8.8.8', family: 6 }] });
    expect(await guard.vet('https://mapped.test/', operator, signal)).toMatchObject({ address: '8.8.8.8', family: 4 });
  });

  it('checks policy before DNS', async () => {
    const { guard, asked, signal } = setup();
    expect(await guard.vet('http://example.com/', operator, signal)).toMatchObject({ code: 'scheme' });
    expect(asked).toEqual([]);
  });

  it('tells an unknown name and an empty answer apart from a refusal', async () => {
    const unknown = setup({ resolve: () => Promise.reject(Object.assign(new Error('raw'), { code: 'ENOTFOUND' })) });
    expect(await unknown.guard.vet('https://nowhere.test/', operator, unknown.signal)).toMatchObject({
      code: 'dns',
      message: 'nowhere.test does not resolve (ENOTFOUND): check the host name',
    });
    const silent = setup({ resolve: () => Promise.reject(new LookUpTimeoutError()) });
    expect(await silent.guard.vet('https://silent.test/', operator, silent.signal)).toMatchObject({
      code: 'dns',
      message: 'silent.test does not resolve (ETIMEOUT): no DNS server answered for it in time',
    });
    const empty = setup({ resolve: async () => [] });
    expect(await empty.guard.vet('https://empty.test/', operator, empty.signal)).toMatchObject({ code: 'dns' });
  });

  it('gives up when the signal fires, even if the resolver does not', async () => {
    const { guard } = setup({ resolve: () => new Promise(() => {}) });
    const controller = new AbortController();
    const verdict = guard.vet('https://slow.test/', operator, controller.signal);
    controller.abort();
    expect(await verdict).toMatchObject({ isAllowed: false, code: 'aborted' });
  });
});

describe('[KER-6] OutgoingGuard, for a URL that a tenant admin set', () => {
  const opened = {
    allowHttp: true,
    allowedCidrs: ['127.0.0.0/8', '169.254.0.0/16'],
    allowedOrigins: ['http://[::1]:3001'],
    settingNames: { allowHttp: 'ALLOW_HTTP', allowedCidrs: 'ALLOWED_CIDRS' },
  };

  it.each([
    ['scheme', 'http://example.com/', 'plain http is refused: use https, or let an operator set this URL'],
    ['scheme', 'http://[::1]:3001/', 'plain http is refused: use https, or let an operator set this URL'],
    [
      'address',
      'https://127.0.0.1/',
      'the address 127.0.0.1 is not public: use a public host, or let an operator set this URL',
    ],
    [
      'address',
      'https://moved.test/',
      'moved.test resolves to an address that is not public: use a public host, or let an operator set this URL',
    ],
  ])('makes no exception, whatever was asked before: %s of %s', async (code, url, message) => {
    const { guard, signal } = setup({ ...opened, resolve: async () => [metadata] });
    const expected = { isAllowed: false, code, message };
    expect(await guard.vet(url, tenantAdmin, signal)).toEqual(expected);
    await guard.vet(url, operator, signal);
    expect(await guard.vet(url, tenantAdmin, signal)).toEqual(expected);
  });

  it('lets the same through where an operator set it', async () => {
    const { guard, signal } = setup({ ...opened, resolve: async () => [metadata] });
    for (const url of ['http://[::1]:3001/', 'https://127.0.0.1/', 'http://moved.test/']) {
      await guard.vet(url, tenantAdmin, signal);
      expect(await guard.vet(url, operator, signal)).toMatchObject({ isAllowed: true });
    }
  });

  it('lets a public host through', async () => {
    const { guard, signal } = setup(opened);
    expect(await guard.vet('https://example.com/', tenantAdmin, signal)).toMatchObject({ isAllowed: true });
  });
});
