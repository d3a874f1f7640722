import type { IncomingMessage } from 'node:http';
import { writeJson } from '@kernel/privacy';
import { problems } from '@kernel/http';
import type { Exchange } from '@kernel/runtime';

export const MAX_BODY_BYTES = 1_048_576;

/** Checks the announced length. The host's parser has its own limit, which may be larger. */
export function refuseLargeBody({ headers }: IncomingMessage): void {
  refuseAbove(Number(headers['content-length'] ?? 0));
}

/**
 * Checks the decoded size where the announced length does not tell it: chunked bodies announce none, compressed ones
 * that of the compressed bytes. If the host kept no bytes, it is the size of the values. Only for vetted bodies: others
 * may take long to serialize.
 */
export function refuseLargeDecodedBody({ incoming, rawBody }: Exchange, body: unknown): void {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = incoming.headers;
  if (length === undefined || encoding.toLowerCase() !== 'identity') {
    refuseAbove(rawBody?.length ?? Buffer.byteLength(writeJson(body ?? {})));
  }
}

function refuseAbove(bytes: number): void {
  if (bytes > MAX_BODY_BYTES) {
    throw problems.bodyTooLarge(MAX_BODY_BYTES);
  }
}
