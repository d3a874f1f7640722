import fc from 'fast-check';
import { OutgoingGuard } from './outgoing-guard.js';
import { canonicalAddress, isGlobalAddress, isInCidrs, parseCidrs } from './vet-address.js';

/** From IANA's special-purpose registries, independent of the library that classifies; and Azure's wire server. */
const specialV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
];
const specialV6 = [
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2001:2::/48', '2001:10::/28'],
  ...[
    '2001:db8::/32',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
    '4000::/2',
    '8000::/1',
  ],
];

const bitsToV4 = (bits: bigint) => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
const bitsToV6 = (bits: bigint) =>
  Array.from({ length: 8 }, (_value, group) => ((bits >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(':');

function v4ToBits(address: string): bigint {
  return address.split('.').reduce((bits, octet) => bits * 256n + BigInt(octet), 0n);
}

function v6ToBits(address: string): bigint {
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(tail === undefined ? 0 : missing).fill('0'), ...groups(tail)];
  return all.reduce((bits, group) => bits * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Any address of the range. */
function within(cidr: string, width: 32 | 128): fc.Arbitrary<bigint> {
  const [base = '', length] = cidr.split('/');
  const first = width === 32 ? v4ToBits(base) : v6ToBits(base);
  return fc.bigInt({ min: 0n, max: (1n << BigInt(width - Number(length))) - 1n }).map((offset) => first + offset);
}

const anyV4 = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n });
const innerV4 = fc.oneof(...specialV4.map((cidr) => within(cidr, 32)));
const innerV6 = fc.oneof(...specialV6.map((cidr) => within(cidr, 128)));
const low80 = fc.bigInt({ min: 0n, max: (1n << 80n) - 1n }).filter((bits) => ((bits >> 32n) & 0xffffn) !== 0x5efen);
const prefix = fc.bigInt({ min: 0n, max: (1n << 61n) - 1n }).map((rest) => ((1n << 61n) | rest) << 64n);
const isatapMark = fc.constantFrom(0n, 0x100n, 0x200n, 0x300n).map((bits) => (bits << 48n) | (0x5efen << 32n));

/** IPv6 formats that embed an IPv4 address, which a gateway may unpack. */
const wrappings: Record<string, (v4: bigint, rest: bigint) => string> = {
  'v4-mapped': (v4) => bitsToV6((0xffffn << 32n) | v4),
  NAT64: (v4) => bitsToV6((0x64ff9bn << 96n) | v4),
  '6to4': (v4, rest) => bitsToV6((0x2002n << 112n) | (v4 << 80n) | rest),
};

const runs = { numRuns: 1_000 };

describe('[KER-6] the classifier, for any address', () => {
  it('refuses every address of the special-purpose ranges', () => {
    fc.assert(
      fc.property(innerV4, (bits) => !isGlobalAddress(bitsToV4(bits))),
      runs,
    );
    fc.assert(
      fc.property(innerV6, (bits) => !isGlobalAddress(bitsToV6(bits))),
      runs,
    );
  });

  it.each(Object.entries(wrappings))('says of %s what it says of the IPv4 address inside', (_name, wrap) => {
    const isSame = (v4: bigint, rest: bigint) => isGlobalAddress(wrap(v4, rest)) === isGlobalAddress(bitsToV4(v4));
    fc.assert(fc.property(fc.oneof(anyV4, innerV4), low80, isSame), runs);
  });

  it('refuses ISATAP under any prefix', () => {
    fc.assert(
      fc.property(prefix, isatapMark, anyV4, (high, mark, v4) => !isGlobalAddress(bitsToV6(high | mark | v4))),
      runs,
    );
  });

  it('takes nothing that is not an address, and never throws', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-fx.:%[\]/]{1,40}$/));
    fc.assert(
      fc.property(texts, (text) => {
        const isAddress = canonicalAddress(text) !== undefined;
        return isAddress || (!isGlobalAddress(text) && !isInCidrs(text, parseCidrs(['0.0.0.0/0', '::/0'])));
      }),
      runs,
    );
  });

  it('connects to the address that it vetted: the canonical text means the same', () => {
    fc.assert(
      fc.property(anyV4, (bits) => canonicalAddress(bitsToV4(bits))?.address === bitsToV4(bits)),
      runs,
    );
    fc.assert(
      fc.property(fc.oneof(innerV6, prefix), (bits) => {
        const { address, family } = canonicalAddress(bitsToV6(bits))!;
        return (family === 6 ? v6ToBits(address) : v4ToBits(address) | (0xffffn << 32n)) === bits;
      }),
      runs,
    );
  });
});

describe('[KER-6] the guard, for any spelling of an address', () => {
  const number = (value: bigint) =>
    fc.constantFrom(value.toString(), `0x${value.toString(16)}`, `0X${value.toString(16)}`, `0${value.toString(8)}`);
  /**
   * One to four numbers in any base; the last fills the remaining bytes. A URL parser reads all of them as the same
   * host.
   */
  const spelled = (v4: bigint) =>
    fc.integer({ min: 1, max: 4 }).chain((count) => {
      const heads = [24n, 16n, 8n].slice(0, count - 1).map((shift) => (v4 >> shift) & 0xffn);
      const tail = v4 & ((1n << BigInt(40 - 8 * count)) - 1n);
      return fc.tuple(...[...heads, tail].map(number)).map((parts) => parts.join('.'));
    });
  const guard = new OutgoingGuard({
    allowHttp: false,
    allowedCidrs: [],
    resolve: () => Promise.reject(new Error('no name was to be resolved')),
  });
  const owner = { tenantId: 'acme', urlSetByOperator: true };
  const dot = fc.constantFrom('.', '。', '．', '｡');
  const ending = fc.constantFrom('', '.', ':443', '.:8443');

  it('judges the address and not its spelling', async () => {
    const cases = fc.oneof(anyV4, innerV4).chain((v4) => fc.tuple(fc.constant(v4), spelled(v4), dot, ending));
    await fc.assert(
      fc.asyncProperty(cases, async ([v4, text, separator, end]) => {
        const verdict = await guard.vet(
          `https://${text.replaceAll('.', separator)}${end}/`,
          owner,
          new AbortController().signal,
        );
        const address = bitsToV4(v4);
        expect(verdict).toMatchObject(isGlobalAddress(address) ? { isAllowed: true, address } : { code: 'address' });
      }),
      runs,
    );
  });

  it('never throws, and never lets out another scheme, userinfo or a fragment', () => {
    const piece = fc.constantFrom(
      'https',
      'http',
      ':',
      '/',
      '//',
      '\\',
      '@',
      '#',
      '?',
      '[',
      ']',
      '%',
      '.',
      'a.test',
      '127.1',
      '::1',
      '0x7f',
      ' ',
      '\0',
      'ü',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          texts,
          texts.map((text) => `https://${text}`),
        ),
        (text) => {
          const verdict = guard.checkUrl(text, owner);
          if (!verdict.isAllowed) return;
          const { protocol, username, password, href, hostname } = verdict.url;
          expect([protocol, username, password]).toEqual(['https:', '', '']);
          expect(href).not.toContain('#');
          expect(hostname).not.toBe('');
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
