import type { ServerResponse } from 'node:http';

/** Only files of the console's own origin are loaded, and no inline script or style runs. */
const SOURCES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

export function setPageHeaders(response: ServerResponse, frameAncestors: readonly string[]): void {
  const ancestors = frameAncestors.map((ancestor) => (ancestor === 'self' ? "'self'" : ancestor));
  const policy = [...SOURCES, `frame-ancestors ${ancestors.join(' ') || "'none'"}`].join('; ');
  response.setHeader('content-security-policy', policy);
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('x-content-type-options', 'nosniff');
  if (ancestors.length > 0) {
    // It knows no list of origins; a host may have set it for all its responses.
    response.removeHeader('x-frame-options');
  } else {
    response.setHeader('x-frame-options', 'DENY');
  }
}
