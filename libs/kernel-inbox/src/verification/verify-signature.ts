import { createHmac, timingSafeEqual, verify, type KeyObject } from 'node:crypto';

export interface SignedMessage {
  id: string;
  /** The header's text: it is part of the signed content. */
  timestamp: string;
  /** The header's text: several signatures, separated by spaces, while the sender changes its key. */
  signatures: string;
  /** The exact bytes received. */
  body: Buffer;
}

/**
 * Standard Webhooks 1.0: true if one of the signatures was made by one of the keys, `v1` for a shared secret, `v1a` for
 * a public key.
 */
export function isSignedBy(keys: readonly KeyObject[], { id, timestamp, signatures, body }: SignedMessage): boolean {
  const head = `${id}.${timestamp}.`;
  const given = signatures.split(' ').map((signature) => signature.split(',', 2));
  return keys.some((key) => {
    const version = key.type === 'secret' ? 'v1' : 'v1a';
    const fits = key.type === 'secret' ? fitsSecret(key, head, body) : fitsPublicKey(key, head, body);
    return given.some(([ofVersion, text]) => ofVersion === version && fits(Buffer.from(text ?? '', 'base64')));
  });
}

function fitsSecret(key: KeyObject, head: string, body: Buffer): (signature: Buffer) => boolean {
  const expected = createHmac('sha256', key).update(head).update(body).digest();
  return (signature) => signature.length === expected.length && timingSafeEqual(signature, expected);
}

function fitsPublicKey(key: KeyObject, head: string, body: Buffer): (signature: Buffer) => boolean {
  const message = Buffer.concat([Buffer.from(head), body]);
  return (signature) => verify(null, message, key, signature);
}
