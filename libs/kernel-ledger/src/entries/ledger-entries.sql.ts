import { sql, type RawBuilder, type Kysely } from 'kysely';
import { columnsOf, textArray, type Statement } from '@kernel/runtime';
import type { LedgerEntry } from './ledger-entry.js';
import { raw } from '@mikro-orm/core';

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

/** Appends entries in the caller's transaction: entry and state change commit or roll back together. */
export async function appendEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await insert(entries).execute(db);
  }
}

/** `appendEntries` as a compiled statement. */
export function appendEntriesStatement(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Statement {
  const { sql: text, parameters } = insert(entries).compile(db);
  return { text, values: parameters };
}

function insert(entries: readonly LedgerEntry[]): RawBuilder<unknown> {
  return sql`insert into kernel_ledger_entry (${LEDGER_COLUMNS}) select * from ${ledgerRows(entries)}`;
}

/** Appends entries of a statement whose answer was lost; existing ones are skipped. */
export async function appendMissingEntries(db: Kysely<unknown>, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length > 0) {
    await sql`${insert(entries)} on conflict do nothing`.execute(db);
  }
}

/**
 * Ids of the routed events of a trace. Reads only the kinds in the trace index: `attempt` and `delivered` are excluded
 * from it, because every event would pay for index entries that are rarely read.
 */
export function eventsOfTrace(traceId: string): RawBuilder<unknown> {
  return sql`
    select event_id from kernel_ledger_entry
    where trace_id = ${traceId} and kind <> 'attempt' and kind <> 'delivered' and event_id is not null
  `;
}

/** `eventsOfTrace` as a MikroORM condition on `event_id`: as an array, so that an `or` can use the index. */
export function isOfTrace(traceId: string): Record<string, []> {
  return {
    [raw(
      `event_id = any(array(
        select event_id from kernel_ledger_entry
        where trace_id = ? and kind <> 'attempt' and kind <> 'delivered' and event_id is not null
      ))`,
      [traceId],
    )]: [],
  };
}
