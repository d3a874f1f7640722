import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { InvalidInboxOptionsError } from '../inbox.errors.js';

const SECRET = 'whsec_';
const PUBLIC = 'whpk_';
const PUBLIC_BYTES = 32;
/** Of Standard Webhooks: a shorter secret can be guessed. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** The prefix tells the kind. An invalid key is refused, and its text is never repeated. */
export function parseKey(text: string): KeyObject {
  if (text.startsWith(SECRET)) {
    const bytes = decode(text.slice(SECRET.length));
    if (bytes.length < MIN_SECRET_BYTES || bytes.length > MAX_SECRET_BYTES) {
      throw new InvalidInboxOptionsError(
        `a whsec_ key of the inbox has ${bytes.length} bytes; ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} are allowed: take it as the sender showed it, ` +
          'or have the sender rotate the secret.',
      );
    }
    return createSecretKey(bytes);
  }
  if (text.startsWith(PUBLIC)) {
    const bytes = decode(text.slice(PUBLIC.length));
    if (bytes.length !== PUBLIC_BYTES) {
      throw new InvalidInboxOptionsError(
        `a whpk_ key of the inbox has ${bytes.length} bytes; a public key of ed25519 has ${PUBLIC_BYTES}: take it as the sender showed it.`,
      );
    }
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
  }
  throw invalid();
}

/** Buffer skips characters that it cannot decode, and would verify with half a key. */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== text) {
    throw invalid();
  }
  return bytes;
}

function invalid(): InvalidInboxOptionsError {
  return new InvalidInboxOptionsError(
    'a key of the inbox is neither whsec_ and base64 nor whpk_ and base64: take it as the sender showed it.',
  );
}
