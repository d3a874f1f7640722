import { isIP } from 'node:net';

/** The URL parser drops tabs and line breaks in silence; what was typed should be what is called. */
export function hasSpaceOrControl(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/** The host if it is an address. The URL parser has already turned decimal, octal, hex and short spellings into four decimals. */
export function literalHost({ hostname }: URL): string | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) ? address : undefined;
}

/** `example.com.` and `example.com` are one host, but certificates and Host headers know only the second. */
export function withoutTrailingDot(url: URL): URL {
  if (!url.hostname.endsWith('.')) return url;
  const copy = new URL(url);
  copy.hostname = url.hostname.slice(0, -1);
  return copy;
}

export function hasEmptyLabel({ hostname }: URL): boolean {
  return hostname === '' || hostname.startsWith('.') || hostname.endsWith('.') || hostname.includes('..');
}
