import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { MasterKey } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';

/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Signs seals with a key that is derived from the master key, which no database holds: whoever can write to the ledger can
 * compute its hashes anew, but no signature. The public half lets others verify an export and sign nothing.
 */
@Injectable()
export class SealKey {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** SPKI, base64. */
  readonly publicKey: string;

  constructor(masterKey: MasterKey) {
    const der = Buffer.concat([PKCS8_PREFIX, masterKey.derive('ledger-seal', 'ed25519/1')]);
    this.#privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.#publicKey = createPublicKey(this.#privateKey);
    this.publicKey = this.#publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }

  sign(message: string): Buffer {
    return sign(null, Buffer.from(message), this.#privateKey);
  }

  isSignatureOf(message: string, signature: Buffer): boolean {
    return verify(null, Buffer.from(message), this.#publicKey, signature);
  }
}
