import type { Response } from 'express';

/** Answers of the admin API are data for programs: nobody caches, frames, sniffs or renders them. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Set per answer and not by middleware, so that the host's other routes keep their own. */
export function setAnswerHeaders(response: Response): void {
  for (const [name, value] of Object.entries(HEADERS)) {
    response.setHeader(name, value);
  }
}
