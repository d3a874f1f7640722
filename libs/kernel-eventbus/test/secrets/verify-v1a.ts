import { createPublicKey, verify } from 'node:crypto';
import type { ReceivedWebhook } from '@kernel/eventbus/testing';

/** Verifies `v1a` like a receiver, with node:crypto only: any of the signatures may match the key. */
export function verifiesV1a(publicKey: string, { headers, raw }: ReceivedWebhook): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const head = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
    .some((signature) =>
      verify(null, Buffer.concat([Buffer.from(head), raw]), key, Buffer.from(signature.slice(4), 'base64')),
    );
}
