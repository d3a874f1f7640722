import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { InvalidInboxOptionsError } from '../inbox.errors.js';

const SECRET = 'whsec_';
const PUBLIC = 'whpk_';
const PUBLIC_BYTES = 32;

/** The prefix tells the kind. An invalid key is refused, and its text is never repeated. */
export function parseKey(text: string): KeyObject {
  if (text.startsWith(SECRET)) {
    return createSecretKey(decode(text.slice(SECRET.length)));
  }
  if (text.startsWith(PUBLIC)) {
    const bytes = decode(text.slice(PUBLIC.length));
    if (bytes.length === PUBLIC_BYTES) {
      return createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') },
        format: 'jwk',
      });
    }
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
    'a key of the inbox is neither whsec_ and base64 nor whpk_ and base64 of 32 bytes: take it as the sender showed it.',
  );
}
