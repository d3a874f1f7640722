import type { IncomingMessage } from 'node:http';

export interface WebhookRequest extends IncomingMessage {
  /** Set by `NestFactory.create(..., { rawBody: true })`. */
  rawBody?: unknown;
  /** Set by a parser: a Buffer if that was express.raw. */
  body?: unknown;
}

/** The exact bytes received; undefined when a parser consumed them. A reprinted body would not match the signature. */
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
