import { sql, type RawBuilder } from 'kysely';

/** A time as text with microseconds, independent of session settings. */
export function timeText(column: string): RawBuilder<string> {
  const time = sql.ref(column);
  return sql`case when isfinite(${time})
    then to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') else ${time}::text end`;
}

/**
 * Entry `l` as the JSON text that is hashed and exported. Lists its columns explicitly: adding a column must not change
 * the hash of existing entries. A column that was added later is part of the text only where it has a value.
 */
export const ENTRY_TEXT = sql`
  lateral (
    select case when l.conclusion is null then row_to_json(e)::text
      else left(row_to_json(e)::text, -1) || ',"conclusion":' || to_json(l.conclusion) || '}' end as entry_text
    from (
      select l.entry_id as "entryId", ${timeText('l.recorded_at')} as "recordedAt", l.kind, l.tenant_id as "tenantId",
        l.event_id as "eventId", l.event_type as "eventType", l.delivery_id as "deliveryId", l.endpoint_id as "endpointId",
        l.trace_id as "traceId", l.actor, l.attempt, l.status_code as "statusCode", l.latency_ms as "latencyMs",
        l.error_class as "errorClass", l.error, l.response_excerpt as "responseExcerpt", l.policy_id as "policyId",
        l.policy_version as "policyVersion", l.removed_paths as "removedPaths", l.body_sha256 as "bodySha256", l.reason,
        l.detail, l.aggregate_type as "aggregateType", l.aggregate_id as "aggregateId", l.attributes
    ) e
  ) text
`;
