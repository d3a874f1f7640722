import { randomBytes } from 'node:crypto';
import { SecretValue } from './secret-value.js';
import { InvalidSecretError } from './secrets.errors.js';

const PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const GENERATED_BYTES = 32;

export function generateSigningSecret(): SecretValue {
  return new SecretValue(PREFIX + randomBytes(GENERATED_BYTES).toString('base64'));
}

/** The form that Standard Webhooks prescribes, so that every receiver's library takes the secret as it is. */
export function parseSigningSecret(text: string): SecretValue {
  if (!text.startsWith(PREFIX)) {
    throw new InvalidSecretError(`does not start with "${PREFIX}"`);
  }
  const base64 = text.slice(PREFIX.length);
  const key = Buffer.from(base64, 'base64');
  // Buffer skips what it cannot decode; two readers that skip differently would compute two signatures.
  if (key.toString('base64') !== base64) {
    throw new InvalidSecretError(`is not padded standard base64 after "${PREFIX}"`);
  }
  if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
    throw new InvalidSecretError(`has ${key.length}`);
  }
  return new SecretValue(text);
}

export function signingSecretBytes(secret: SecretValue): Buffer {
  return Buffer.from(secret.reveal().slice(PREFIX.length), 'base64');
}
