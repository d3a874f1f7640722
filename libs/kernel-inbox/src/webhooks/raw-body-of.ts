import type { IncomingMessage } from 'node:http';

export interface WebhookRequest extends IncomingMessage {
  /** By `NestFactory.create(..., { rawBody: true })`. */
  rawBody?: unknown;
  /** By a parser: a Buffer if that was express.raw. */
  body?: unknown;
}

/** The bytes that came; undefined when a parser has read them and kept none. A body printed anew is not what was signed. */
export function rawBodyOf({ rawBody, body, headers }: WebhookRequest): Buffer | undefined {
  if (Buffer.isBuffer(rawBody)) {
    return rawBody;
  }
  if (Buffer.isBuffer(body)) {
    return body;
  }
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  return isEmpty ? Buffer.alloc(0) : undefined;
}
