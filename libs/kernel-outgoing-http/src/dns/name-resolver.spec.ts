import { lookup } from 'node:dns/promises';
import { DnsServer } from '@kernel/test-support/dns-server';
import { waitFor } from '@kernel/eventbus/testing';
import type { HostsFile } from './hosts-file.js';
import { LookUpTimeoutError } from './look-ups.js';
import { NameResolver, type NameResolverOptions } from './name-resolver.js';
import type { ResolvedAddress } from './resolver.js';

const ofTenant = { tenantId: 'acme', urlSetByOperator: false };
const ofOperator = { tenantId: 'acme', urlSetByOperator: true };
const inside: ResolvedAddress = { address: '10.0.0.7', family: 4 };
/** Longer than a test lasts. */
const FOR_EVER_MS = 60_000;

describe('NameResolver', () => {
  let dns: DnsServer;
  const open: NameResolver[] = [];
  beforeEach(async () => {
    dns = await DnsServer.start({
      'both.test': ['93.184.215.14', '2606:2800::1'],
      'a.ipv4-only.test': ['93.184.215.15'],
      'empty.test': [],
    });
  });
  afterEach(async () => {
    for (const resolver of open.splice(0)) resolver.close();
    await dns.stop();
  });

  function setup(options: NameResolverOptions = {}) {
    const systemAsked: string[] = [];
    const askSystem = async (hostname: string) => {
      systemAsked.push(hostname);
      return [inside];
    };
    const resolver = new NameResolver({ servers: [dns.address], timeoutMs: FOR_EVER_MS, askSystem, ...options });
    open.push(resolver);
    const { signal } = new AbortController();
    return {
      systemAsked,
      resolve: (name: string, owner = ofTenant, until = signal) => resolver.resolve(name, until, owner),
    };
  }

  it('asks the DNS servers for both families', async () => {
    const { resolve } = setup();
    expect(await resolve('both.test')).toEqual(
      expect.arrayContaining([
        { address: '93.184.215.14', family: 4 },
        { address: '2606:2800::1', family: 6 },
      ]),
    );
  });

  it('takes what it has where a server never answers for IPv6', async () => {
    const { resolve } = setup({ timeoutMs: 10_000 });
    expect(await resolve('a.ipv4-only.test')).toEqual([{ address: '93.184.215.15', family: 4 }]);
  });

  it('asks a server that lives where another one is dead', async () => {
    const dead = await DnsServer.start();
    await dead.stop();
    const { resolve } = setup({ servers: [dead.address, dns.address] });
    expect(await resolve('both.test')).toHaveLength(2);
  });

  it('refuses servers that are none', () => {
    expect(() => new NameResolver({ servers: ['localhost'] })).toThrow('Invalid IP address: localhost');
  });

  it('shares one question among those who ask at the same time, of whatever tenant, and keeps no answer', async () => {
    const { resolve } = setup();
    const other = { tenantId: 'other', urlSetByOperator: true };
    await Promise.all([resolve('both.test'), resolve('both.test', ofOperator), resolve('both.test', other)]);
    expect(dns.asked).toEqual(['both.test']);
    await resolve('both.test');
    expect(dns.asked).toEqual(['both.test', 'both.test']);
  });

  describe('for a URL that a tenant admin set', () => {
    it.each([
      ['nowhere.test', 'ENOTFOUND'],
      ['empty.test', 'ENODATA'],
      ['intranet', 'ENOTFOUND'],
    ])('knows %s only if a DNS server does', async (name, code) => {
      const { resolve, systemAsked } = setup({ hostsFile: { find: () => [inside] } as unknown as HostsFile });
      await expect(resolve(name)).rejects.toMatchObject({ code });
      expect(systemAsked).toEqual([]);
    });

    it.each(['localhost', 'a.localhost'])('takes %s for this machine, without asking', async (name) => {
      const { resolve, systemAsked } = setup();
      expect(await resolve(name)).toContainEqual({ address: '127.0.0.1', family: 4 });
      expect([systemAsked, dns.asked]).toEqual([[], []]);
    });
  });

  describe('for a URL that an operator set', () => {
    it('finds localhost by the hosts file or the system', async () => {
      const { resolve } = setup({ askSystem: undefined });
      const addresses = (await resolve('localhost', ofOperator)).map(({ address }) => address);
      expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(addresses));
      expect(dns.asked).toEqual([]);
    });

    it('lets the hosts file go before DNS', async () => {
      const hostsFile = { find: (name: string) => (name === 'both.test' ? [inside] : undefined) };
      const { resolve, systemAsked } = setup({ hostsFile: hostsFile as unknown as HostsFile });
      expect(await resolve('both.test', ofOperator)).toEqual([inside]);
      expect([systemAsked, dns.asked]).toEqual([[], []]);
    });

    it.each(['nowhere.test', 'empty.test'])('asks the system for %s, which DNS servers do not know', async (name) => {
      const { resolve, systemAsked } = setup();
      expect(await resolve(name, ofOperator)).toEqual([inside]);
      expect([systemAsked, dns.asked]).toEqual([[name], [name]]);
    });

    it('asks the system alone for a name without a dot', async () => {
      const { resolve, systemAsked } = setup();
      expect(await resolve('intranet', ofOperator)).toEqual([inside]);
      expect([systemAsked, dns.asked]).toEqual([['intranet'], []]);
    });

    it('asks the system where no DNS server can be reached', async () => {
      const dead = await DnsServer.start();
      await dead.stop();
      const { resolve } = setup({ servers: [dead.address] });
      expect(await resolve('both.test', ofOperator)).toEqual([inside]);
      await expect(resolve('both.test')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });
  });

  describe('where no DNS server answers', () => {
    it('times out, and remembers the name for a while: nobody asks for it, neither them nor the system', async () => {
      let now = 0;
      const { resolve, systemAsked } = setup({ timeoutMs: 100, now: () => now });
      await expect(resolve('n.silent.test')).rejects.toThrow(LookUpTimeoutError);
      const packets = dns.asked.length;
      now = 9_999;
      await expect(resolve('n.silent.test')).rejects.toThrow(LookUpTimeoutError);
      await expect(resolve('n.silent.test', ofOperator)).rejects.toThrow(LookUpTimeoutError);
      expect([dns.asked.length, systemAsked]).toEqual([packets, []]);
      now = 10_000;
      await expect(resolve('n.silent.test')).rejects.toThrow(LookUpTimeoutError);
      expect(dns.asked.length).toBeGreaterThan(packets);
    });

    it('refuses no name of the system because a tenant admin has asked DNS servers for it', async () => {
      const { resolve } = setup({ timeoutMs: 100 });
      await expect(resolve('silent', ofTenant)).rejects.toThrow(LookUpTimeoutError);
      expect(await resolve('silent', ofOperator)).toEqual([inside]);
    });

    it('gives a tenant 16 questions at a time and lets its others wait, without a thread of libuv’s and without delay for others', async () => {
      const { resolve } = setup();
      const gaveUp: string[] = [];
      const impatient = new AbortController();
      const names = Array.from({ length: 40 }, (_, place) => `n${place}.silent.test`);
      const waiting = names.map((name) =>
        resolve(name, ofTenant, impatient.signal).catch((error: Error) => gaveUp.push(error.message)),
      );
      const asked = () => new Set(dns.asked.filter((name) => name.endsWith('.silent.test')));
      await waitFor(() => asked().size === 16, 'sixteen questions');

      expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
      // Control: a getaddrinfo call is visible here.
      const control = lookup('localhost');
      expect(process.getActiveResourcesInfo()).toContain('GetAddrInfoReqWrap');
      await control;
      expect(await resolve('both.test', { tenantId: 'other', urlSetByOperator: false })).toHaveLength(2);
      expect(asked()).toEqual(new Set(names.slice(0, 16)));

      impatient.abort(new Error('out of time'));
      await Promise.all(waiting);
      expect(gaveUp).toEqual(Array(40).fill('out of time'));
    });

    it('gives the system one question at a time, until it is done', async () => {
      const held = Promise.withResolvers<ResolvedAddress[]>();
      const asked: string[] = [];
      const askSystem = (hostname: string) => {
        asked.push(hostname);
        return hostname === 'stuck' ? held.promise : Promise.resolve([inside]);
      };
      const { resolve } = setup({ askSystem, timeoutMs: 2_000 });
      await expect(resolve('stuck', ofOperator)).rejects.toThrow(LookUpTimeoutError);
      const next = resolve('intranet', { tenantId: 'other', urlSetByOperator: true });
      // DNS lookups continue meanwhile.
      await resolve('both.test', ofOperator);
      expect(asked).toEqual(['stuck']);
      held.resolve([]);
      expect(await next).toEqual([inside]);
    });
  });
});
