import { plainArray, type Statement, prepared } from '@kernel/runtime';
import { OLDEST_PENDING, PENDING_IN_TURN, TENANT_TURNS, WITHIN_BYTES } from './pending-events.sql.js';
import { SUBSCRIBERS, type WithSubscribers } from './subscribers.sql.js';

export interface PendingEvent extends WithSubscribers {
  eventId: string;
  tenantId: string;
  streamKey: string;
  /** Null if the type has no ordering. Text, because the driver returns bigint as text. */
  streamSequence: string | null;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** When the event was written, in milliseconds since 1970. */
  createdAtMs: number;
  traceParent: string | null;
}

/** An event that is locked until it is routed. */
export interface ClaimedEvent extends PendingEvent {
  /** The database's time, as text that it reads back. */
  dispatchedAt: string;
  /** With tenants in turn: the events that each tenant could have had. */
  share?: number;
  /** Locked events; more than were read if their payloads are large. */
  lockedCount: number;
}

export interface EventClaim {
  limit: number;
  /** Set if more events wait than fit into a batch: tenants take turns, starting after this one. */
  afterTenantId: string | undefined;
  /** Only with tenants in turn: tenants that are left out. */
  exceptTenantIds: readonly string[];
}

/** Payload bytes in a batch. The event that reaches the limit is the last one. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;

export const EVENT_COLUMNS = {
  text: `event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", stream_sequence as "streamSequence",
    type, occurred_at as "occurredAt", trace_id as "traceId", actor_id as "actorId", payload_json as "payloadJson",
    aggregate_type as "aggregateType", aggregate_id as "aggregateId", attributes::text as "attributesJson",
    extract(epoch from created_at)::float8 * 1000 as "createdAtMs", trace_parent as "traceParent"`,
};

const CLAIMED_COLUMNS = {
  text: `${EVENT_COLUMNS.text}, date_trunc('milliseconds', statement_timestamp())::text as "dispatchedAt",
    locked_count as "lockedCount"`,
};

const claimOldest = prepared<'limit' | 'maxBytes', ClaimedEvent>`
  with locked as materialized (${OLDEST_PENDING}), claimed as materialized (${WITHIN_BYTES})
  select ${CLAIMED_COLUMNS}, ${SUBSCRIBERS} from claimed
`;

const claimInTurn = prepared<'limit' | 'afterTenantId' | 'exceptTenantIds' | 'maxBytes', ClaimedEvent>`
  with recursive ${TENANT_TURNS}, locked as materialized (${PENDING_IN_TURN}), claimed as materialized (${WITHIN_BYTES})
  select ${CLAIMED_COLUMNS}, share, ${SUBSCRIBERS} from claimed
`;

const claimChosen = prepared<'eventIds' | 'maxBytes', ClaimedEvent>`
  with locked as materialized (
    select * from kernel_outbox_event
    where event_id = any(${'eventIds'}::uuid[]) and status = 'PENDING'
    order by created_at
    for update skip locked
  ), claimed as materialized (${WITHIN_BYTES})
  select ${CLAIMED_COLUMNS}, ${SUBSCRIBERS} from claimed
`;

/** Locks pending events and reads their subscribers. */
export function claimPendingEvents({ limit, afterTenantId, exceptTenantIds }: EventClaim): Statement {
  return afterTenantId === undefined
    ? claimOldest.bind({ limit, maxBytes: MAX_BATCH_BYTES })
    : claimInTurn.bind({
        limit,
        afterTenantId,
        exceptTenantIds: plainArray(exceptTenantIds),
        maxBytes: MAX_BATCH_BYTES,
      });
}

/** Like `claimPendingEvents`, for those of these events that are still pending. */
export function claimChosenEvents(eventIds: string): Statement {
  return claimChosen.bind({ eventIds, maxBytes: MAX_BATCH_BYTES });
}
