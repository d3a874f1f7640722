import { canonicalAddress, isGlobalAddress, isInCidrs, parseCidrs } from './vet-address.js';

describe('isGlobalAddress', () => {
  it.each([
    ['93.184.215.14', 'a public host'],
    ['8.8.8.8', 'a public resolver'],
    ['172.15.255.255', 'just below the private range'],
    ['172.32.0.0', 'just above the private range'],
    ['100.63.255.255', 'just below carrier-grade NAT'],
    ['100.128.0.0', 'just above carrier-grade NAT'],
    ['2606:4700:4700::1111', 'a public IPv6 host'],
    ['::ffff:8.8.8.8', 'v4-mapped around a public host'],
    ['64:ff9b::808:808', 'NAT64 around a public host'],
    ['2002:808:808::1', '6to4 around a public host'],
  ])('lets %s through: %s', (address) => {
    expect(isGlobalAddress(address)).toBe(true);
  });

  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'the end of loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'Alibaba metadata'],
    ['169.254.169.254', 'AWS, GCP and Azure metadata'],
    ['168.63.129.16', 'the Azure wire server, on a public address'],
    ['192.0.0.192', 'Oracle metadata, protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['192.88.99.1', 'the 6to4 relay'],
    ['198.18.0.1', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'v4-compatible'],
    ['::ffff:127.0.0.1', 'v4-mapped loopback'],
    ['::ffff:a9fe:a9fe', 'v4-mapped metadata'],
    ['::ffff:0:7f00:1', 'v4-translated loopback'],
    ['64:ff9b::7f00:1', 'NAT64 loopback'],
    ['64:ff9b::a83f:8110', 'NAT64 around the Azure wire server'],
    ['64:ff9b:1::808:808', 'local NAT64, whatever it carries'],
    ['2002:7f00:1::1', '6to4 loopback'],
    ['2002:a00:1::1', '6to4 private'],
    ['2001:0:5ef5:79fb::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['2001:2::1', 'benchmarking'],
    ['100::1', 'discard'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'AWS metadata over IPv6'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['2606:4700::5efe:7f00:1', 'ISATAP loopback'],
    ['2606:4700:4700::1111%eth0', 'a zone'],
    ['0177.0.0.1', 'octal, which only a URL may spell'],
    ['2130706433', 'decimal, which only a URL may spell'],
    ['example.com', 'no address at all'],
    ['', 'nothing'],
  ])('refuses %s: %s', (address) => {
    expect(isGlobalAddress(address)).toBe(false);
  });
});

describe('isInCidrs', () => {
  it('matches within the range, in either family', () => {
    const cidrs = parseCidrs(['127.0.0.0/8', 'fd00::/8', ' 10.1.2.3 ']);
    expect(isInCidrs('127.9.9.9', cidrs)).toBe(true);
    expect(isInCidrs('fd12::1', cidrs)).toBe(true);
    expect(isInCidrs('10.1.2.3', cidrs)).toBe(true);
    expect(isInCidrs('10.1.2.4', cidrs)).toBe(false);
    expect(isInCidrs('fe80::1', cidrs)).toBe(false);
  });

  it('treats a v4-mapped address as its IPv4 address, in address and range', () => {
    expect(isInCidrs('::ffff:127.0.0.1', parseCidrs(['127.0.0.0/8']))).toBe(true);
    expect(isInCidrs('127.0.0.1', parseCidrs(['::ffff:127.0.0.0/104']))).toBe(true);
  });

  it('does not let a tunnelled address in through the range of its inner one', () => {
    const cidrs = parseCidrs(['127.0.0.0/8']);
    expect(isInCidrs('64:ff9b::7f00:1', cidrs)).toBe(false);
    expect(isInCidrs('2002:7f00:1::1', cidrs)).toBe(false);
  });

  it('lets nothing in when empty', () => {
    expect(isInCidrs('127.0.0.1', [])).toBe(false);
  });
});

describe('parseCidrs', () => {
  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'localhost',
    '',
    'fe80::1%lo/64',
  ])('names the wrong one: %j', (wrong) => {
    expect(() => parseCidrs(['127.0.0.0/8', wrong])).toThrow(`allowedCidrs: '${wrong}'`);
  });
});

describe('canonicalAddress', () => {
  it('gives one spelling per host', () => {
    expect(canonicalAddress('::ffff:127.0.0.1')).toEqual({ address: '127.0.0.1', family: 4 });
    expect(canonicalAddress('2606:4700:4700:0:0:0:0:1111')).toEqual({ address: '2606:4700:4700::1111', family: 6 });
    expect(canonicalAddress('example.com')).toBeUndefined();
  });
});
