import { sql, type Kysely } from 'kysely';

/** A delivery that this worker holds under a lease, with all that its attempt needs. */
export interface ClaimedDelivery {
  deliveryId: string;
  leaseEpoch: number;
  attempts: number;
  /** Of the last failure or deferral. */
  errorClass: string | null;
  dispatchedAt: string;
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  endpointId: string;
  url: string;
  signingSecretAlias: string;
  isEnabled: boolean;
  isExternal: boolean;
  isDeleted: boolean;
}

export interface Claim {
  limit: number;
  leaseMs: number;
  workerId: string;
}

/** One statement claims a batch: nobody else gets these deliveries until the lease runs out. */
export async function claimDeliveries(db: Kysely<unknown>, claim: Claim): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as (
      select delivery_id
      from kernel_webhook_delivery
      where status in ('PENDING', 'FAILED') and not is_parked
        and next_attempt_at <= clock_timestamp()
        and (lease_until is null or lease_until <= clock_timestamp())
      order by next_attempt_at
      limit ${claim.limit}
      for update skip locked
    ), claimed as (
      update kernel_webhook_delivery d
      set lease_until = clock_timestamp() + ${claim.leaseMs} * interval '1 millisecond',
        lease_epoch = d.lease_epoch + 1, leased_by = ${claim.workerId}
      from due where d.delivery_id = due.delivery_id
      returning d.*
    )
    select c.delivery_id as "deliveryId", c.lease_epoch as "leaseEpoch", c.attempts, c.error_class as "errorClass",
      c.dispatched_at as "dispatchedAt", e.event_id as "eventId", e.tenant_id as "tenantId",
      e.stream_key as "streamKey", e.type, e.occurred_at as "occurredAt", e.trace_id as "traceId",
      e.actor_id as "actorId", e.payload_jsonb::text as "payloadJson", e.aggregate_type as "aggregateType",
      e.aggregate_id as "aggregateId", e.attributes::text as "attributesJson", p.endpoint_id as "endpointId", p.url,
      p.signing_secret_alias as "signingSecretAlias", p.is_enabled as "isEnabled", p.is_external as "isExternal",
      p.deleted_at is not null as "isDeleted"
    from claimed c
    join kernel_outbox_event e on e.event_id = c.event_id
    join kernel_webhook_endpoint p on p.endpoint_id = c.endpoint_id
    order by c.next_attempt_at
  `.execute(db);
  return rows;
}
