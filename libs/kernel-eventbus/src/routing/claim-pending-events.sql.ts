import { prepared } from '../runtime/prepared.js';
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

export const EVENT_COLUMNS = {
  text: `event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", stream_sequence as "streamSequence",
    type, occurred_at as "occurredAt", trace_id as "traceId", actor_id as "actorId", payload_jsonb::text as "payloadJson",
    aggregate_type as "aggregateType", aggregate_id as "aggregateId", attributes::text as "attributesJson",
    extract(epoch from created_at)::float8 * 1000 as "createdAtMs", trace_parent as "traceParent"`,
};

export const claimOldestEvents = prepared<'limit', PendingEvent>`
  select ${EVENT_COLUMNS} from (${OLDEST_PENDING}) e
`;

export const claimEventsInTurn = prepared<'limit' | 'afterTenantId', PendingEvent>`
  with recursive ${TENANT_TURNS} select ${EVENT_COLUMNS} from (${PENDING_IN_TURN}) e
`;

/** Of these, those that are pending still. */
export const claimChosenEvents = prepared<'eventIds', PendingEvent>`
  select ${EVENT_COLUMNS} from kernel_outbox_event
  where event_id = any(${'eventIds'}::uuid[]) and status = 'PENDING'
  order by created_at
  for update skip locked
`;
