import type { IncomingMessage } from 'node:http';
import { RawBodyMissingError } from '../inbox.errors.js';

export interface WebhookRequest extends IncomingMessage {
  /** By `NestFactory.create(..., { rawBody: true })`. */
  rawBody?: unknown;
  /** By a parser: a Buffer if that was express.raw. */
  body?: unknown;
}

/**
 * The bytes that came; never a body that was parsed and printed anew, which is not what was signed.
 * @throws {RawBodyMissingError} when a parser has read them and kept none
 */
export function rawBodyOf({ rawBody, body, headers }: WebhookRequest): Buffer {
  if (Buffer.isBuffer(rawBody)) {
    return rawBody;
  }
  if (Buffer.isBuffer(body)) {
    return body;
  }
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (isEmpty) {
    return Buffer.alloc(0);
  }
  throw new RawBodyMissingError();
}
