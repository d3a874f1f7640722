import type { Exchange } from '@kernel/runtime';

/** Admin API responses are data for programs: not to be cached, framed, sniffed or rendered. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Set per response instead of in middleware, to leave the host's other routes unchanged. */
export function setResponseHeaders(exchange: Exchange): void {
  for (const [name, value] of Object.entries(HEADERS)) {
    exchange.setHeader(name, value);
  }
}
