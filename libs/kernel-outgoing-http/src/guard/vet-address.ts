import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type ParsedAddress = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = [ParsedAddress, number];

/** Azure's metadata and wire server, on an address that every registry calls global. */
const metadataAddresses = new Set(['168.63.129.16']);
const globalUnicast: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('2000::/3');
const nat64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

export class InvalidCidrError extends Error {
  readonly code = 'EVENTBUS_INVALID_CIDR';

  constructor(text: string) {
    super(`allowedCidrs: '${text}' is not an address range. Write each one like 10.0.0.0/8, 127.0.0.1 or fd00::/8.`);
    this.name = 'InvalidCidrError';
  }
}

/**
 * True for an address on the public internet. An address not known to be global is refused, and so is an IPv6 address
 * that carries a non-global IPv4 address, because a translator or tunnel on the path would unpack it.
 */
export function isGlobalAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  return parsed.kind() === 'ipv4' ? isGlobalV4(parsed as ipaddr.IPv4) : isGlobalV6(parsed as ipaddr.IPv6);
}

/** True if the operator allowed the address. Only v4-mapped is unpacked: a tunnelled address is not its inner one. */
export function isInCidrs(address: string, cidrs: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  return cidrs.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
}

export function parseCidrs(texts: readonly string[]): Cidr[] {
  return texts.map(parseCidr);
}

/** The address in the form a socket connects to: v4-mapped becomes plain IPv4, so that one host has one spelling. */
export function canonicalAddress(address: string): { address: string; family: 4 | 6 } | undefined {
  const parsed = parseAddress(address);
  if (!parsed) return undefined;
  return { address: parsed.toString(), family: parsed.kind() === 'ipv4' ? 4 : 6 };
}

function parseCidr(text: string): Cidr {
  const [address = '', bitsText, ...rest] = text.trim().split('/');
  const family = isIP(address);
  const width = family === 4 ? 32 : 128;
  const bits = bitsText === undefined ? width : Number(bitsText);
  const isWellFormed = bitsText === undefined || /^\d{1,3}$/.test(bitsText);
  if (!family || address.includes('%') || rest.length > 0 || !isWellFormed || bits > width) {
    throw new InvalidCidrError(text);
  }
  const parsed = ipaddr.parse(address);
  const isMapped = parsed.kind() === 'ipv6' && (parsed as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [(parsed as ipaddr.IPv6).toIPv4Address(), bits - 96] : [parsed, bits];
}

/** net.isIP first: ipaddr.js also reads octal, hex and short forms, which getaddrinfo may read differently. */
function parseAddress(address: string): ParsedAddress | undefined {
  if (!isIP(address) || address.includes('%')) return undefined;
  return ipaddr.process(address);
}

function isGlobalV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !metadataAddresses.has(address.toString());
}

function isGlobalV6(address: ipaddr.IPv6): boolean {
  const { parts } = address;
  if (isIsatap(parts)) return false;
  if (address.match(nat64)) return isGlobalV4(embeddedV4(parts[6]!, parts[7]!));
  if (address.range() === '6to4') return isGlobalV4(embeddedV4(parts[1]!, parts[2]!));
  return address.range() === 'unicast' && address.match(globalUnicast);
}

/** ISATAP puts an IPv4 address into the interface id of any prefix, including 6to4. Two bits of its marker may vary. */
function isIsatap(parts: readonly number[]): boolean {
  return (parts[4]! & 0xfcff) === 0 && parts[5] === 0x5efe;
}

function embeddedV4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
