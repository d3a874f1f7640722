import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** PKCS #8 prefix of the 32 bytes of an Ed25519 private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Source of the key. */
export interface DerivesKeys {
  derive(purpose: string, context: string): Buffer;
}

/**
 * Signs seals with a derived key whose source is never stored in the database in plain text. An attacker with write
 * access to the ledger can recompute hashes but not signatures. The public key verifies exports.
 */
export class SealKey {
  #pair: { privateKey: KeyObject; publicKey: KeyObject } | undefined;

  constructor(private readonly source: DerivesKeys) {}

  /** SPKI, base64. */
  get publicKey(): string {
    return this.pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }

  sign(message: string): Buffer {
    return sign(null, Buffer.from(message), this.pair.privateKey);
  }

  isSignatureOf(message: string, signature: Buffer): boolean {
    return verify(null, Buffer.from(message), this.pair.publicKey, signature);
  }

  /** Derived on first use: its source may have to be read from the database first. */
  private get pair() {
    if (!this.#pair) {
      const der = Buffer.concat([PKCS8_PREFIX, this.source.derive('ledger-seal', 'ed25519/1')]);
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      this.#pair = { privateKey, publicKey: createPublicKey(privateKey) };
    }
    return this.#pair;
  }
}
