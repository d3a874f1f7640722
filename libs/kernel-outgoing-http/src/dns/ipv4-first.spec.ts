import type { networkInterfaces } from 'node:os';
import { ipv4First } from './ipv4-first.js';
import type { ResolvedAddress } from './resolver.js';

const v4: ResolvedAddress = { address: '93.184.215.14', family: 4 };
const v6: ResolvedAddress = { address: '2606:2800::1', family: 6 };

/** A machine with both loopback addresses and external addresses of these families. */
function machineWith(...families: ('IPv4' | 'IPv6')[]) {
  const entries = [
    ...['IPv4', 'IPv6'].map((family) => ({ family, internal: true })),
    ...families.map((family) => ({ family, internal: false })),
  ];
  return (() => ({ eth0: entries })) as unknown as typeof networkInterfaces;
}

describe('ipv4First', () => {
  it.each([
    ['IPv4 alone', machineWith('IPv4'), [v4, v6]],
    ['both', machineWith('IPv6', 'IPv4'), [v4, v6]],
    ['IPv6 alone', machineWith('IPv6'), [v6, v4]],
    ['neither', machineWith(), [v4, v6]],
  ])('orders by what the machine has: %s', (_what, interfaces, expected) => {
    expect(ipv4First([v6, v4], interfaces)).toEqual(expected);
    expect(ipv4First([v4, v6], interfaces)).toEqual(expected);
  });

  it('leaves answers of one family as they are', () => {
    const other: ResolvedAddress = { address: '93.184.215.15', family: 4 };
    expect(ipv4First([other, v4], machineWith('IPv6'))).toEqual([other, v4]);
  });
});
