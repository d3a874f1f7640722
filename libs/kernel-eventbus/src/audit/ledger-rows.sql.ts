import { sql, type RawBuilder } from 'kysely';
import type { LedgerEntry } from './ledger-entry.js';

/** The ledger's columns in the order of `ledgerRows`; `recorded_at` is the database's to fill in. */
export const LEDGER_COLUMNS = sql.raw(`
  entry_id, kind, tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id, actor, attempt, status_code,
  latency_ms, error_class, error, response_excerpt, policy_id, policy_version, removed_paths, body_sha256, reason,
  detail, aggregate_type, aggregate_id, attributes
`);

/** Entries as a row source named `l`, for an `insert ... select` of its own or inside a bigger statement. */
export function ledgerRows(entries: readonly LedgerEntry[]): RawBuilder<unknown> {
  const column = <Key extends keyof LedgerEntry>(key: Key) => entries.map((entry) => entry[key] ?? null);
  const details = entries.map((entry) => (entry.detail ? JSON.stringify(entry.detail) : null));
  return sql`
    unnest(
      ${column('entryId')}::uuid[], ${column('kind')}::text[], ${column('tenantId')}::uuid[],
      ${column('eventId')}::uuid[], ${column('eventType')}::text[], ${column('deliveryId')}::uuid[],
      ${column('endpointId')}::uuid[], ${column('traceId')}::text[], ${column('actor')}::text[],
      ${column('attempt')}::int[], ${column('statusCode')}::int[], ${column('latencyMs')}::int[],
      ${column('errorClass')}::text[], ${column('error')}::text[], ${column('responseExcerpt')}::text[],
      ${column('policyId')}::uuid[], ${column('policyVersion')}::int[], ${column('removedPaths')}::int[],
      ${column('bodySha256')}::text[], ${column('reason')}::text[], ${details}::text[]::jsonb[],
      ${column('aggregateType')}::text[], ${column('aggregateId')}::text[], ${column('attributesJson')}::text[]::jsonb[]
    ) as l (${LEDGER_COLUMNS})
  `;
}
