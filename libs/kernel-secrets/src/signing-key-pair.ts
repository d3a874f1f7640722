import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { decodeBase64 } from './decode-base64.js';
import { ED25519_PREFIX, PUBLIC_KEY_PREFIX } from './secret-kind.js';
import { SecretValue } from './secret-value.js';
import { InvalidSecretError } from './secrets.errors.js';

const SEED_BYTES = 32;
const SEED_AND_PUBLIC_BYTES = 64;
/** DER prefix of the seed, in the only form from which node:crypto reads an ed25519 key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Standard Webhooks 1.0, asymmetric: the private key stays here, the receiver gets the public key. */
export function generateSigningKeyPair(): SecretValue {
  return new SecretValue(ED25519_PREFIX + randomBytes(SEED_BYTES).toString('base64'));
}

/** Accepts the seed alone, or the seed followed by the public key, as libsodium and Go write it. */
export function parseSigningKeyPair(text: string): SecretValue {
  const bytes = decodeBase64(text.slice(ED25519_PREFIX.length));
  if (!text.startsWith(ED25519_PREFIX) || !bytes) {
    throw new InvalidSecretError('ed25519', `is not padded standard base64 after "${ED25519_PREFIX}"`);
  }
  if (bytes.length !== SEED_BYTES && bytes.length !== SEED_AND_PUBLIC_BYTES) {
    throw new InvalidSecretError('ed25519', `has ${bytes.length}`);
  }
  const value = new SecretValue(text);
  if (bytes.length === SEED_AND_PUBLIC_BYTES && !bytes.subarray(SEED_BYTES).equals(publicBytesOf(value))) {
    throw new InvalidSecretError('ed25519', 'ends with a public key that is not its own');
  }
  return value;
}

export function privateKeyOf(secret: SecretValue): KeyObject {
  const bytes = Buffer.from(secret.reveal().slice(ED25519_PREFIX.length), 'base64');
  const der = Buffer.concat([PKCS8_HEAD, bytes.subarray(0, SEED_BYTES)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** `whpk_...`, which is not secret. */
export function publicKeyTextOf(secret: SecretValue): string {
  return PUBLIC_KEY_PREFIX + publicBytesOf(secret).toString('base64');
}

function publicBytesOf(secret: SecretValue): Buffer {
  const { x } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' });
  return Buffer.from(x!, 'base64url');
}
