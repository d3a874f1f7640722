import type { IncomingMessage, ServerResponse } from 'node:http';

/** The API docs page has its own scripts and inline styles. The admin API sets stricter headers. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Runs first, before routes that no Nest middleware reaches. */
export function securityHeaders(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  for (const [name, value] of Object.entries(HEADERS)) {
    response.setHeader(name, value);
  }
  next();
}
