import { createHmac } from 'node:crypto';
import type { HashText } from './redact.js';

/** Keyed, because a plain hash of an e-mail address is reversed by hashing every address one knows. */
export function hmacSha256(key: Buffer): HashText {
  return (text) => `hmac-sha256:${createHmac('sha256', key).update(text, 'utf8').digest('hex')}`;
}
