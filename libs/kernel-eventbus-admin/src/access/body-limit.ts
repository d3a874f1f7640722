import { writeJson } from '@kernel/privacy';
import type { Request } from 'express';
import { problems } from '@kernel/http';

export const MAX_BODY_BYTES = 1_048_576;

/** Checks the announced length. The host's parser has its own limit, which may be larger. */
export function refuseLargeBody({ headers }: Request): void {
  refuseAbove(Number(headers['content-length'] ?? 0));
}

/** Chunked bodies announce no length. Only for vetted bodies: others may take long to serialize. */
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
