import type { Request } from 'express';
import { problems } from '../../http/problem.exception.js';

export const MAX_BODY_BYTES = 1_048_576;

/** The host's parser has a limit of its own, which may be a larger one. */
export function refuseLargeBody(request: Request): void {
  const announced = request.headers['content-length'];
  const bytes = announced === undefined ? parsedBytes(request.body) : Number(announced);
  if (bytes > MAX_BODY_BYTES) {
    throw problems.bodyTooLarge(MAX_BODY_BYTES);
  }
}

/** What comes in chunks announces no length. */
function parsedBytes(body: unknown): number {
  return body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body));
}
