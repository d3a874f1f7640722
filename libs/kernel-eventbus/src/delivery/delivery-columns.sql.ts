import { sql } from 'kysely';

/** Columns of a `ClaimedDelivery`, from delivery `c`, event `e` and endpoint `p`. */
export const DELIVERY_COLUMNS = sql.raw(`
  c.delivery_id as "deliveryId", c.lease_epoch as "leaseEpoch", c.attempts, c.dispatched_at as "dispatchedAt",
  c.stream_sequence as "streamSequence", c.previous_sequence as "previousSequence", e.event_id as "eventId",
  e.tenant_id as "tenantId", e.stream_key as "streamKey", e.type, e.occurred_at as "occurredAt",
  e.trace_id as "traceId", e.actor_id as "actorId", e.payload_jsonb::text as "payloadJson",
  e.aggregate_type as "aggregateType", e.aggregate_id as "aggregateId", e.attributes::text as "attributesJson",
  p.endpoint_id as "endpointId", p.url, p.signing_secret_alias as "signingSecretAlias",
  p.on_dead_letter as "onDeadLetter", p.is_enabled as "isEnabled", p.is_external as "isExternal",
  p.deleted_at is not null as "isDeleted"
`);
