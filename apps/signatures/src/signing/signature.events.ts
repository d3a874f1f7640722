import { defineEvent } from '@kernel/eventbus';
import { z } from 'zod';
import { KEYED_HASH } from '../customers/keyed-hash.js';
import { CHANNELS, RISK_LEVELS } from './signature-request.entity.js';

/** The only identifier of a customer in events. Still personal data, so no rule lets it out. */
const Pseudonym = z.string().regex(KEYED_HASH, 'must be a pseudonym');

const subject = { signatureRequestId: z.guid(), customerId: Pseudonym };

/** Every field but the customer goes out, unless a policy says otherwise. */
function signatureEvent<Shape extends z.ZodRawShape>(type: string, shape: Shape) {
  const fields = ['signatureRequestId', ...Object.keys(shape)];
  return defineEvent({
    type,
    schema: z.strictObject({ ...subject, ...shape }),
    privacy: { rules: fields.map((field) => ({ path: `$.${field}`, action: 'keep' as const })) },
  });
}

export const ABORT_REASONS = ['CUSTOMER', 'FRAUD_SUSPECTED', 'TOO_MANY_FAILURES'] as const;
export type AbortReason = (typeof ABORT_REASONS)[number];

export const definitions = {
  signatureRequestCreated: signatureEvent('signature.request.created.v1', {
    transactionContextHash: z.string().regex(KEYED_HASH),
    requestedChannel: z.enum(CHANNELS),
    riskLevel: z.enum(RISK_LEVELS),
    expiresAt: z.iso.datetime(),
  }),
  challengeSent: signatureEvent('signature.challenge.sent.v1', { channel: z.enum(CHANNELS), provider: z.string() }),
  challengeFailed: signatureEvent('signature.challenge.failed.v1', { answersLeft: z.int() }),
  providerFailed: signatureEvent('signature.provider.failed.v1', { provider: z.string(), channel: z.enum(CHANNELS) }),
  signatureCompleted: signatureEvent('signature.completed.v1', {
    transactionContextHash: z.string().regex(KEYED_HASH),
  }),
  signatureExpired: signatureEvent('signature.expired.v1', { expiredAt: z.iso.datetime() }),
  signatureAborted: signatureEvent('signature.aborted.v1', { reason: z.enum(ABORT_REASONS) }),
  circuitBreakerOpened: defineEvent({
    type: 'signature.circuit-breaker.opened.v1',
    schema: z.strictObject({ provider: z.string(), failures: z.int(), openMs: z.int() }),
    privacy: { rules: [{ path: '$', action: 'keep' }] },
  }),
};

export const signatureEvents = Object.values(definitions);
