import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface SealKeys {
  key: string;
  previousKey?: string;
}

export interface Opened<T> {
  value: T;
  /** Seals with the key that opened the message, which the waiting engine has. */
  answerWith: JobSeal;
}

/**
 * Requests hold payloads and the credentials of endpoints, outcomes may repeat them, and a broker writes both to disk.
 * So they travel encrypted, each bound to its subject, and none can be passed off as another.
 */
export class JobSeal {
  readonly #keys: Buffer[];

  constructor({ key, previousKey }: SealKeys) {
    this.#keys = [key, previousKey].flatMap((text) => (text === undefined ? [] : Buffer.from(text, 'base64')));
  }

  seal(value: unknown, about: string): Uint8Array {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys[0]!, iv).setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** Undefined: sealed with another key, for another subject, or incomplete. */
  open<T>(data: Uint8Array, about: string): Opened<T> | undefined {
    for (const key of this.#keys) {
      const text = this.decipher(Buffer.from(data), about, key);
      if (text !== undefined) {
        return { value: JSON.parse(text) as T, answerWith: new JobSeal({ key: key.toString('base64') }) };
      }
    }
    return undefined;
  }

  private decipher(data: Buffer, about: string, key: Buffer): string | undefined {
    if (data.length < IV_BYTES + TAG_BYTES) {
      return undefined;
    }
    const decipher = createDecipheriv(CIPHER, key, data.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(about))
      .setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      return decipher.update(data.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
