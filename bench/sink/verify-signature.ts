import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export function toKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
}

/** The id of a webhook with a valid Standard Webhooks signature for exactly these bytes; else undefined. */
export function verifySignature(key: KeyObject, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') {
    return undefined;
  }
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const isRight = signature.split(' ').some((part) => {
    const given = Buffer.from(part.slice(3), 'base64');
    return part.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isRight ? id : undefined;
}
