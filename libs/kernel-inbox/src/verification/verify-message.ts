import type { KeyObject } from 'node:crypto';
import { SignatureInvalidError } from '../inbox.errors.js';
import { headerOf, type ReceivedMessage } from './received-message.js';
import { isSignedBy } from './verify-signature.js';

export interface VerificationTerms {
  keys: readonly KeyObject[];
  /** `any` is for messages that a broker may keep for days. */
  toleranceSeconds: number | 'any';
  now: Date;
}

/** @throws {SignatureInvalidError} that names the reason, and nothing of the keys or the body */
export function verifyMessage(message: ReceivedMessage, { keys, toleranceSeconds, now }: VerificationTerms): void {
  if (keys.length === 0) {
    throw new SignatureInvalidError('the inbox has no key for this sender, so it can verify nothing.');
  }
  const id = required(message, 'webhook-id');
  const timestamp = required(message, 'webhook-timestamp');
  const signatures = required(message, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new SignatureInvalidError('webhook-timestamp is not a number of seconds.');
  }
  if (!isSignedBy(keys, { id, timestamp, signatures, body: message.body })) {
    throw new SignatureInvalidError('none of the signatures fits: is the key the one of this endpoint?');
  }
  const aheadSeconds = Number(timestamp) - Math.floor(now.getTime() / 1_000);
  if (toleranceSeconds !== 'any' && Math.abs(aheadSeconds) > toleranceSeconds) {
    const direction = aheadSeconds > 0 ? 'ahead of' : 'behind';
    throw new SignatureInvalidError(
      `webhook-timestamp is ${Math.abs(aheadSeconds)} s ${direction} our clock; ${toleranceSeconds} s are allowed.`,
    );
  }
}

function required(message: ReceivedMessage, name: string): string {
  const value = headerOf(message, name);
  if (value === undefined) {
    throw new SignatureInvalidError(`the header ${name} is missing.`);
  }
  return value;
}
