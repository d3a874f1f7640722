import { isIPv6 } from 'node:net';

/** A holder of one IPv6 address usually has 2^64 of them, so a /64 counts as one source. */
export function networkOf(address = 'unknown'): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) {
    return plain;
  }
  const [left, right] = plain.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = right ? [...left!, ...Array<string>(8 - left!.length - right.length).fill('0'), ...right] : left!;
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
