import { sql, type RawBuilder } from 'kysely';
import { columnsOf, textArray } from '@kernel/runtime';
import type { LedgerEntry } from './ledger-entry.js';

/** Ledger columns in the order of `ledgerRows`, without `recorded_at`, which the database sets. */
export const LEDGER_COLUMNS = sql.raw(`
  entry_id, kind, tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id, actor, attempt, status_code,
  latency_ms, error_class, error, response_excerpt, policy_id, policy_version, removed_paths, body_sha256, reason,
  detail, aggregate_type, aggregate_id, attributes
`);

/** Entries as a row source named `l`, for an `insert ... select` or as part of a larger statement. */
export function ledgerRows(entries: readonly LedgerEntry[]): RawBuilder<unknown> {
  const { plain, text } = columnsOf(entries);
  const details = textArray(entries.map((entry) => entry.detail && JSON.stringify(entry.detail)));
  return sql`
    unnest(
      ${plain('entryId')}::uuid[], ${plain('kind')}::text[], ${plain('tenantId')}::uuid[],
      ${plain('eventId')}::uuid[], ${text('eventType')}::text[], ${plain('deliveryId')}::uuid[],
      ${plain('endpointId')}::uuid[], ${text('traceId')}::text[], ${text('actor')}::text[],
      ${plain('attempt')}::int[], ${plain('statusCode')}::int[], ${plain('latencyMs')}::int[],
      ${text('errorClass')}::text[], ${text('error')}::text[], ${text('responseExcerpt')}::text[],
      ${plain('policyId')}::uuid[], ${plain('policyVersion')}::int[], ${plain('removedPaths')}::int[],
      ${plain('bodySha256')}::text[], ${text('reason')}::text[], ${details}::text[]::jsonb[],
      ${text('aggregateType')}::text[], ${text('aggregateId')}::text[], ${text('attributesJson')}::text[]::jsonb[]
    ) as l (${LEDGER_COLUMNS})
  `;
}
