import { createHmac } from 'node:crypto';

/** The format of a stored or published keyed hash. */
export const KEYED_HASH = /^hmac-sha256:[0-9a-f]{64}$/;

/** Keyed, because a plain hash of a customer number or a six-digit code could be found by trying all of them. */
export function keyedHash(key: Buffer, text: string): string {
  return `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`;
}
