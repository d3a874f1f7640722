import { AttemptConclusion, LedgerKind } from '@kernel/ledger';
import { z } from 'zod';
import type { LedgerItem } from './ledger-items.js';

/** `min(0)`: without it, OpenAPI documents describe a nullable string as a list of texts. */
const TextOrNull = z.string().min(0).nullable();

export const LedgerRecord = z.object({
  entryId: z.guid().meta({ description: 'an attempt and its conclusion have the same' }),
  recordedAt: z.iso.datetime(),
  kind: LedgerKind,
  actor: z.string(),
  traceId: z.string(),
  tenantId: z.guid().nullable(),
  eventId: z.guid().nullable(),
  eventType: TextOrNull,
  deliveryId: z.guid().nullable(),
  endpointId: z.guid().nullable(),
  attempt: z.number().int().nullable(),
  statusCode: z.number().int().nullable(),
  latencyMs: z.number().int().nullable(),
  errorClass: TextOrNull,
  error: TextOrNull,
  responseExcerpt: TextOrNull,
  policyId: z.guid().nullable(),
  policyVersion: z.number().int().nullable(),
  removedPaths: z.number().int().nullable(),
  bodySha256: TextOrNull,
  reason: TextOrNull,
  detail: z.record(z.string(), z.any()).nullable(),
  aggregateType: TextOrNull,
  aggregateId: TextOrNull,
  attributes: z.record(z.string(), z.any()).nullable(),
  conclusion: AttemptConclusion.nullable().meta({
    description: 'of an attempt; null on other kinds, and for an attempt that changed nothing',
  }),
});
/** An entry of the ledger as shown to callers. */
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** Facts of the attempt alone. */
const NOT_OF_CONCLUSION = {
  latencyMs: null,
  responseExcerpt: null,
  policyId: null,
  policyVersion: null,
  removedPaths: null,
  bodySha256: null,
  detail: null,
  conclusion: null,
};

const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A manual insert may hold any time: infinite ones, which are read as an invalid `Date`, show as the last. */
function toInstant(time: Date): string {
  const timeMs = time.getTime();
  return new Date(timeMs < LAST_MS ? timeMs : LAST_MS).toISOString();
}

export function toLedgerRecord({ entry, kind, isConclusion }: LedgerItem): LedgerRecord {
  const absentAsNull = Object.fromEntries(Object.keys(LedgerRecord.shape).map((key) => [key, null]));
  const facts = { ...entry, kind, recordedAt: toInstant(entry.recordedAt), ...(isConclusion && NOT_OF_CONCLUSION) };
  return { ...absentAsNull, ...facts } as LedgerRecord;
}
