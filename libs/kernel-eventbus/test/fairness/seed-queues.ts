import type { TestDatabase } from '@kernel/test-support/test-database';

export interface QueuesToSeed {
  tenants: number;
  /** Endpoints of each tenant. Default: 1. */
  endpoints?: number;
  /** Deliveries for each endpoint. */
  each: number;
  status?: 'PENDING' | 'FAILED' | 'DELIVERED';
  /** Interval from now until it is due. Default: a minute ago. */
  due?: string;
  isParked?: boolean;
  isCircuitOpen?: boolean;
  dispatcher?: string;
}

/** Tenants with endpoints and deliveries, or with lanes that hold one delivery each. Returns the tenants. */
export async function seedQueues(
  database: TestDatabase,
  { tenants, endpoints = 1, each, ...queue }: QueuesToSeed,
  kind: 'delivery' | 'lane' = 'delivery',
): Promise<string[]> {
  const { status = 'PENDING', due = '-1 minute', isParked = false, isCircuitOpen = false, dispatcher = null } = queue;
  const rows = await database.query<{ tenant_id: string }>(
    `with tenant as materialized (select gen_random_uuid() as tenant_id from generate_series(1, $1::int)),
     endpoint as (
       insert into kernel_webhook_endpoint
         (endpoint_id, tenant_id, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering, dispatcher)
       select gen_random_uuid(), tenant_id, 'http://127.0.0.1:9/hook', 'http://127.0.0.1:9/hook', array['t.v1'], 'alias', false, $6, $9
       from tenant cross join generate_series(1, $2::int) returning endpoint_id, tenant_id
     ), circuit as (
       insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at)
       select endpoint_id, tenant_id, now() + interval '1 hour' from endpoint where $8::boolean
     ), planned as materialized (
       select gen_random_uuid() as event_id, gen_random_uuid() as lane_id, 's:' || n as stream_key, endpoint_id, tenant_id
       from endpoint cross join generate_series(1, $3::int) n
     ), event as (
       insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
       select event_id, tenant_id, stream_key, 't.v1', now(), 'trace-0001', '{}', '', 'PUBLISHED' from planned
     ), lane as (
       insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, ready_at, is_parked)
       select lane_id, tenant_id, endpoint_id, stream_key, 1, now() + $5::interval, $7 from planned where $6 = 'stream'
     )
     insert into kernel_webhook_delivery (
       delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id, next_attempt_at, dispatched_at,
       attempts, is_parked, lane_id, stream_key, stream_sequence
     )
     select gen_random_uuid(), tenant_id, endpoint_id, event_id, 't.v1', $4, 'trace-0001', now() + $5::interval, now(),
       ($4 <> 'PENDING')::int, $7, case when $6 = 'stream' then lane_id end, stream_key, 1
     from planned returning tenant_id`,
    [
      tenants,
      endpoints,
      each,
      status,
      due,
      kind === 'lane' ? 'stream' : 'none',
      isParked,
      isCircuitOpen,
      dispatcher,
    ] as never[],
  );
  await database.query(
    'analyze kernel_webhook_delivery, kernel_webhook_endpoint, kernel_lane, kernel_endpoint_circuit',
  );
  return [...new Set(rows.map((row) => row.tenant_id))];
}
