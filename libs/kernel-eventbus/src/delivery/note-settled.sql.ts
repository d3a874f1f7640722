import { KERNEL_ACTOR } from '../audit/ledger-entry.js';

/**
 * Part of a statement that settles deliveries: what the ledger notes of each row of `settled`, an attempt, what it ended with, or both.
 */
export const NOTE_SETTLED = {
  text: `
    noted_outcomes as (
      insert into kernel_ledger_entry (
        entry_id, kind, actor, tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id, attempt, status_code,
        latency_ms, error_class, error, response_excerpt, policy_id, policy_version, removed_paths, body_sha256, reason,
        detail, aggregate_type, aggregate_id, attributes
      )
      select l.entry_id, l.kind, '${KERNEL_ACTOR}', tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id,
        case when attempt_entry_id is not null then attempts end, status_code, l.latency_ms, error_class, error,
        l.response_excerpt, l.policy_id, l.policy_version, l.removed_paths, l.body_sha256, l.reason,
        l.detail::jsonb, aggregate_type, aggregate_id, attributes::jsonb
      from settled
      cross join lateral (
        values (attempt_entry_id, 'attempt', latency_ms, response_excerpt, policy_id, policy_version, removed_paths,
            body_sha256, null, detail),
          (conclusion_entry_id, conclusion, null, null, null, null, null, null, dead_letter_reason, null)
      ) as l (
        entry_id, kind, latency_ms, response_excerpt, policy_id, policy_version, removed_paths, body_sha256, reason, detail
      )
      where l.entry_id is not null
    )`,
};
