import { sql } from 'kysely';

/** Columns of a `ClaimedRow`, from delivery `c`, event `e`, endpoint `p` and its open circuit `k`. */
export const DELIVERY_COLUMNS = sql.raw(`
  c.delivery_id as "deliveryId", c.lease_epoch as "leaseEpoch", c.attempts, c.replay_count as "replayCount",
  c.error_class as "errorClass", c.dispatched_at as "dispatchedAt",
  c.stream_sequence as "streamSequence", c.previous_sequence as "previousSequence", e.event_id as "eventId",
  e.tenant_id as "tenantId", e.stream_key as "streamKey", e.type, e.occurred_at as "occurredAt",
  e.trace_id as "traceId", e.actor_id as "actorId", e.payload_jsonb::text as "payloadJson",
  e.aggregate_type as "aggregateType", e.aggregate_id as "aggregateId", e.attributes::text as "attributesJson",
  extract(epoch from e.created_at)::float8 * 1000 as "createdAtMs", e.trace_parent as "traceParent",
  e.trace_state as "traceState",
  p.endpoint_id as "endpointId", p.xmin::text as "endpointVersion", c.lonely_deaths as "soloCrashes",
  k.endpoint_id is not null as "isProbe"
`);

/**
 * Event `e` of delivery `c`: from the outbox, else the envelope retained when its partition was dropped. The limit ends
 * the search at the first hit, so that the hot path never looks further than the outbox.
 */
export const DELIVERY_EVENT = sql.raw(`
  lateral (
    select event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload_jsonb, aggregate_type,
      aggregate_id, attributes, created_at, trace_parent, trace_state
    from kernel_outbox_event where event_id = c.event_id
    union all
    select event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload_jsonb, aggregate_type,
      aggregate_id, attributes, created_at, trace_parent, trace_state
    from kernel_retained_event where event_id = c.event_id
    limit 1
  ) e
`);
