import { writeJson } from '@kernel/privacy';
import type { Request } from 'express';
import { problems } from '../../http/problem.exception.js';

export const MAX_BODY_BYTES = 1_048_576;

/** By the length that it announces. The host's parser has a limit of its own, which may be a larger one. */
export function refuseLargeBody({ headers }: Request): void {
  refuseAbove(Number(headers['content-length'] ?? 0));
}

/** What comes in chunks announces no length. Only for a body that was vetted: others may take long to write. */
export function refuseLargeChunkedBody({ headers, body }: Request): void {
  if (headers['content-length'] === undefined) {
    refuseAbove(Buffer.byteLength(writeJson(body ?? {})));
  }
}

function refuseAbove(bytes: number): void {
  if (bytes > MAX_BODY_BYTES) {
    throw problems.bodyTooLarge(MAX_BODY_BYTES);
  }
}
