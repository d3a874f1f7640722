import { ED25519_PREFIX, HMAC_PREFIX } from './secret-kind.js';
import { SecretValue } from './secret-value.js';
import { InvalidSecretError } from './secrets.errors.js';
import { parseSigningKeyPair } from './signing-key-pair.js';
import { parseSigningSecret } from './signing-secret.js';

const MAX_CREDENTIAL_LENGTH = 4096;
/** Near misses of the signing prefixes, and the public key: as a credential they would go out in a header. */
const LOOKS_LIKE_SIGNING = /^wh(sec|sk|pk)/i;

/** The prefix tells the kind. Invalid input is refused, and its text is never repeated. */
export function parseSecret(text: string): SecretValue {
  if (text.startsWith(HMAC_PREFIX)) {
    return parseSigningSecret(text);
  }
  if (text.startsWith(ED25519_PREFIX)) {
    return parseSigningKeyPair(text);
  }
  return parseCredential(text);
}

/** A credential goes into a header unchanged. */
function parseCredential(text: string): SecretValue {
  if (LOOKS_LIKE_SIGNING.test(text)) {
    throw new InvalidSecretError('credential', 'looks like a key to sign with, or its public half');
  }
  if (text.length === 0 || text.length > MAX_CREDENTIAL_LENGTH) {
    throw new InvalidSecretError('credential', `has ${text.length}`);
  }
  if (!/^[\x20-\x7e]*$/.test(text)) {
    throw new InvalidSecretError('credential', 'holds a line break, a control character or one beyond ASCII');
  }
  if (text.trim() !== text) {
    throw new InvalidSecretError('credential', 'begins or ends with a blank');
  }
  return new SecretValue(text);
}
