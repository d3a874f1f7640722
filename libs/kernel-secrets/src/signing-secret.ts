import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { decodeBase64 } from './decode-base64.js';
import { HMAC_PREFIX } from './secret-kind.js';
import { SecretValue } from './secret-value.js';
import { InvalidSecretError } from './secrets.errors.js';

const MIN_BYTES = 24;
const MAX_BYTES = 64;
const GENERATED_BYTES = 32;

export function generateSigningSecret(): SecretValue {
  return new SecretValue(HMAC_PREFIX + randomBytes(GENERATED_BYTES).toString('base64'));
}

/** The format prescribed by Standard Webhooks, so every receiver's library accepts the secret unchanged. */
export function parseSigningSecret(text: string): SecretValue {
  if (!text.startsWith(HMAC_PREFIX)) {
    throw new InvalidSecretError('hmac', `does not start with "${HMAC_PREFIX}"`);
  }
  const key = decodeBase64(text.slice(HMAC_PREFIX.length));
  if (!key) {
    throw new InvalidSecretError('hmac', `is not padded standard base64 after "${HMAC_PREFIX}"`);
  }
  if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
    throw new InvalidSecretError('hmac', `has ${key.length}`);
  }
  return new SecretValue(text);
}

export function hmacKeyOf(secret: SecretValue): KeyObject {
  return createSecretKey(Buffer.from(secret.reveal().slice(HMAC_PREFIX.length), 'base64'));
}
