import { prepared } from '../runtime/prepared.js';
import { NOTED } from './note-batch.sql.js';
import { OLDEST_PENDING, PENDING_IN_TURN, TENANT_TURNS } from './pending-events.sql.js';

export interface PendingEvent {
  eventId: string;
  tenantId: string;
  streamKey: string;
  /** Null: the type asks for no order. Text, as PostgreSQL's bigint comes. */
  streamSequence: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** When it was written, in milliseconds since 1970. */
  createdAtMs: number;
  traceParent: string | null;
}

/** One that is locked until it is routed. */
export interface ClaimedEvent extends PendingEvent {
  /** It was in the hands of a worker that fell silent. */
  isSuspect: boolean;
  /** When it is, or was first, dispatched: the time at the database, in the form in which it takes it back. */
  dispatchedAt: string;
  /** Where tenants take turns: how many events each could have had. */
  share?: number;
}

export const EVENT_COLUMNS = {
  text: `event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", stream_sequence as "streamSequence",
    type, occurred_at as "occurredAt", trace_id as "traceId", actor_id as "actorId", payload_jsonb::text as "payloadJson",
    aggregate_type as "aggregateType", aggregate_id as "aggregateId", attributes::text as "attributesJson",
    extract(epoch from created_at)::float8 * 1000 as "createdAtMs", trace_parent as "traceParent"`,
};

/** Of events `claimed`, with `NOTED` beside them. */
export const CLAIMED_COLUMNS = {
  text: `${EVENT_COLUMNS.text},
    coalesce((select n.is_suspect from noted n where n.event_id = claimed.event_id), false) as "isSuspect",
    coalesce(
      (select n.dispatched_at from noted n where n.event_id = claimed.event_id),
      date_trunc('milliseconds', statement_timestamp())
    )::text as "dispatchedAt"`,
};

export const claimOldestEvents = prepared<'limit', ClaimedEvent>`
  with claimed as materialized (${OLDEST_PENDING}), ${NOTED} select ${CLAIMED_COLUMNS} from claimed
`;

export const claimEventsInTurn = prepared<'limit' | 'afterTenantId', ClaimedEvent>`
  with recursive ${TENANT_TURNS}, claimed as materialized (${PENDING_IN_TURN}), ${NOTED}
  select ${CLAIMED_COLUMNS}, share from claimed
`;

/** Of these, those that are pending still. */
export const claimChosenEvents = prepared<'eventIds', ClaimedEvent>`
  with claimed as materialized (
    select * from kernel_outbox_event
    where event_id = any(${'eventIds'}::uuid[]) and status = 'PENDING'
    order by created_at
    for update skip locked
  ), ${NOTED}
  select ${CLAIMED_COLUMNS} from claimed
`;
