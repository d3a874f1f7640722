import type { OutboxEvent } from '@kernel/eventbus';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { CHANNELS, RISK_LEVELS, STATUSES } from './signature-request.entity.js';
import type { SignatureRequest } from './signature-request.js';
import { TransactionContext } from './transaction-context.js';

const DEFAULT_TTL_SECONDS = 300;
const DAY_SECONDS = 86_400;

export class StartSignatureDto extends createZodDto(
  z.strictObject({
    tenantId: z.guid(),
    customerId: z.string().regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 visible ASCII characters without a space'),
    transaction: TransactionContext,
    channel: z.enum(CHANNELS),
    riskLevel: z.enum(RISK_LEVELS).default('LOW'),
    ttlSeconds: z.int().min(1).max(DAY_SECONDS).default(DEFAULT_TTL_SECONDS),
  }),
) {}

export class CompleteSignatureDto extends createZodDto(
  z.strictObject({ code: z.string().regex(/^\d{6}$/, 'must be 6 digits') }),
) {}

/** `TOO_MANY_FAILURES` is missing on purpose: only the aggregate sets it. */
export class AbortSignatureDto extends createZodDto(
  z.strictObject({ reason: z.enum(['CUSTOMER', 'FRAUD_SUSPECTED']) }),
) {}

export class SendChallengeDto extends createZodDto(z.strictObject({})) {}

export class SignatureParamsDto extends createZodDto(z.strictObject({ id: z.guid() })) {}

/** Contains neither the customer nor the code. */
export class SignatureRequestDto extends createZodDto(
  z.object({
    signatureRequestId: z.guid(),
    tenantId: z.guid(),
    transactionContextHash: z.string(),
    channel: z.enum(CHANNELS),
    riskLevel: z.enum(RISK_LEVELS),
    status: z.enum(STATUSES),
    challenges: z.int(),
    failedAnswers: z.int(),
    expiresAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
) {}

export class HistoryDto extends createZodDto(
  z.object({
    items: z.array(
      z.object({
        eventId: z.guid(),
        type: z.string(),
        version: z.string(),
        occurredAt: z.iso.datetime(),
        correlationId: z.string(),
        publishedAt: z.iso.datetime().nullable(),
      }),
    ),
  }),
) {}

export function toSignatureRequestDto({ state }: SignatureRequest): SignatureRequestDto {
  const { signatureRequestId, tenantId, transactionContextHash, channel, riskLevel, status } = state;
  return {
    ...{ signatureRequestId, tenantId, transactionContextHash, channel, riskLevel, status },
    challenges: state.challenges,
    failedAnswers: state.failedAnswers,
    expiresAt: state.expiresAt.toISOString(),
    createdAt: state.createdAt.toISOString(),
    updatedAt: state.updatedAt.toISOString(),
  };
}

export function toHistoryDto(events: readonly OutboxEvent[]): HistoryDto {
  return {
    items: events.map(({ eventId, type, attributes, occurredAt, traceId, publishedAt }) => ({
      ...{ eventId, type, correlationId: traceId },
      version: String(attributes.version),
      occurredAt: occurredAt.toISOString(),
      publishedAt: publishedAt?.toISOString() ?? null,
    })),
  };
}
