import { isIP } from 'node:net';

/** The URL parser silently drops tabs and line breaks; the URL called must be the URL given. */
export function hasSpaceOrControl(text: string): boolean {
  return /[\s\p{Cc}]/u.test(text);
}

/** Other parsers read a backslash as part of the host or of a user name; ours reads a slash. No valid URL needs one. */
export function hasBackslash(text: string): boolean {
  return text.includes('\\');
}

/** Checks the text, because a parsed URL does not distinguish `https://@host` from `https://host`. */
export function hasUserinfo(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/*[^/?#]*@/i.test(text);
}

/** The host if it is an address. The URL parser has already normalised decimal, octal, hex and short spellings. */
export function literalHost({ hostname }: URL): string | undefined {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) ? address : undefined;
}

/** `example.com.` and `example.com` are one host, but certificates and Host headers contain only the second. */
export function withoutTrailingDot(url: URL): URL {
  if (!url.hostname.endsWith('.')) return url;
  const copy = new URL(url);
  copy.hostname = url.hostname.slice(0, -1);
  return copy;
}

export function hasEmptyLabel({ hostname }: URL): boolean {
  return hostname === '' || hostname.startsWith('.') || hostname.endsWith('.') || hostname.includes('..');
}
