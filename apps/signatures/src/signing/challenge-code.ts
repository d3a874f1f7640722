import { randomInt, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../customers/keyed-hash.js';

const DIGITS = 6;

/** Value object: the code that the customer receives and enters. Only its hash is stored, bound to its request. */
export class ChallengeCode {
  private constructor(readonly digits: string) {}

  static random(): ChallengeCode {
    return new ChallengeCode(String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0'));
  }

  static of(digits: string): ChallengeCode {
    return new ChallengeCode(digits);
  }

  hashFor(signatureRequestId: string, key: Buffer): string {
    return keyedHash(key, `${signatureRequestId}:${this.digits}`);
  }

  matches(hash: string, signatureRequestId: string, key: Buffer): boolean {
    return timingSafeEqual(Buffer.from(this.hashFor(signatureRequestId, key)), Buffer.from(hash));
  }
}
