import { ED25519_PREFIX, HMAC_PREFIX } from './secret-kind.js';
import { SecretValue } from './secret-value.js';
import { InvalidSecretError } from './secrets.errors.js';
import { parseSigningKeyPair } from './signing-key-pair.js';
import { parseSigningSecret } from './signing-secret.js';

const MAX_CREDENTIAL_LENGTH = 4096;
/** Near misses of the prefixes that sign, and the public key: stored as a credential they would go out in a header. */
const LOOKS_LIKE_SIGNING = /^wh(sec|sk|pk)/i;

/** Its kind shows in its text; what is no kind of secret is refused, and never repeated. */
export function parseSecret(text: string): SecretValue {
  if (text.startsWith(HMAC_PREFIX)) {
    return parseSigningSecret(text);
  }
  if (text.startsWith(ED25519_PREFIX)) {
    return parseSigningKeyPair(text);
  }
  return parseCredential(text);
}

/** Goes into a header as it is. */
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
