import type { SecretValue } from './secret-value.js';

/**
 * The purpose of a secret, told by its prefix. `hmac` (`whsec_`) and `ed25519` (`whsk_`) sign; everything else is a
 * `credential`, which goes out in a header. A signing secret never goes out, and a credential never signs.
 */
export type SecretKind = 'hmac' | 'ed25519' | 'credential';

export type SigningKind = Exclude<SecretKind, 'credential'>;

/** Signature schemes of Standard Webhooks 1.0: `v1` is HMAC-SHA256, `v1a` is ed25519. */
export type SignatureScheme = 'v1' | 'v1a';

export const HMAC_PREFIX = 'whsec_';
export const ED25519_PREFIX = 'whsk_';
export const PUBLIC_KEY_PREFIX = 'whpk_';

export function kindOf(secret: SecretValue): SecretKind {
  const text = secret.reveal();
  if (text.startsWith(HMAC_PREFIX)) {
    return 'hmac';
  }
  return text.startsWith(ED25519_PREFIX) ? 'ed25519' : 'credential';
}

export function kindThatSigns(scheme: SignatureScheme): SigningKind {
  return scheme === 'v1' ? 'hmac' : 'ed25519';
}
