import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { InvalidMasterKeyError } from '../secrets.errors.js';

const KEY_BYTES = 32;
const FINGERPRINT_LABEL = 'kernel master key fingerprint v1';
const FINGERPRINT_BYTES = 16;

/** The one key kept outside the database. It never encrypts directly: every purpose derives its own key. */
export class MasterKey {
  readonly #key: KeyObject;
  /** Identifies the key without revealing it. */
  readonly fingerprint: string;

  private constructor(bytes: Buffer) {
    this.#key = createSecretKey(bytes);
    const digest = createHmac('sha256', this.#key).update(FINGERPRINT_LABEL).digest();
    this.fingerprint = digest.subarray(0, FINGERPRINT_BYTES).toString('hex');
  }

  /** Surrounding white space is allowed: key files end in a line break. */
  static fromBase64(text: string): MasterKey {
    const base64 = text.trim();
    if (base64 === '') {
      throw new InvalidMasterKeyError('is empty');
    }
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64') !== base64) {
      throw new InvalidMasterKeyError('is not padded standard base64');
    }
    if (bytes.length !== KEY_BYTES) {
      throw new InvalidMasterKeyError(`decodes to ${bytes.length}`);
    }
    return new MasterKey(bytes);
  }

  /** HKDF-SHA256. Another purpose or context gives an unrelated key; together they have room for some 1,000 bytes. */
  derive(purpose: string, context: string): Buffer {
    const info = JSON.stringify([purpose, context]);
    return Buffer.from(hkdfSync('sha256', this.#key, '', info, KEY_BYTES));
  }
}
