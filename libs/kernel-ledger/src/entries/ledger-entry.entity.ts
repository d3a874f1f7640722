import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { AttemptConclusion, LedgerKind } from './ledger-entry.js';

/** Read model. Entries are inserted by `ledger-entries.sql.ts` and with attempt outcomes, and never updated. */
export const LedgerEntryEntity = defineEntity({
  name: 'LedgerEntry',
  tableName: 'kernel_ledger_entry',
  indexes: [
    { name: 'kernel_ledger_entry_event_idx', properties: ['eventId'] },
    { name: 'kernel_ledger_entry_recorded_idx', properties: ['recordedAt'], type: 'brin' },
    {
      name: 'kernel_ledger_entry_trace_idx',
      properties: ['traceId'],
      where: "kind <> 'attempt' and kind <> 'delivered'",
    },
    {
      name: 'kernel_ledger_entry_tenant_idx',
      properties: ['tenantId', 'entryId'],
      where: "(kind <> 'published' and kind <> 'attempt' and kind <> 'delivered') or conclusion = 'dead-lettered'",
    },
  ],
  properties: {
    entryId: p.uuid().primary(),
    recordedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    kind: p.text().$type<LedgerKind>(),
    tenantId: p.uuid().nullable(),
    eventId: p.uuid().nullable(),
    eventType: p.text().nullable(),
    deliveryId: p.uuid().nullable(),
    endpointId: p.uuid().nullable(),
    traceId: p.text(),
    actor: p.text(),
    attempt: p.integer().nullable(),
    statusCode: p.integer().nullable(),
    latencyMs: p.integer().nullable(),
    errorClass: p.text().nullable(),
    error: p.text().nullable(),
    responseExcerpt: p.text().nullable(),
    policyId: p.uuid().nullable(),
    policyVersion: p.integer().nullable(),
    removedPaths: p.integer().nullable(),
    bodySha256: p.text().fieldName('body_sha256').nullable(),
    reason: p.text().nullable(),
    detail: p.json<Record<string, unknown>>().nullable(),
    aggregateType: p.text().nullable(),
    aggregateId: p.text().nullable(),
    attributes: p.json<Record<string, unknown>>().nullable(),
    conclusion: p.text().$type<AttemptConclusion>().nullable(),
  },
});
export type LedgerRow = InferEntity<typeof LedgerEntryEntity>;
