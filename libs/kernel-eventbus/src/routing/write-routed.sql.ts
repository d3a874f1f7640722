import { sql, type Kysely } from 'kysely';
import type { LedgerEntry } from '../audit/ledger-entry.js';
import { LEDGER_COLUMNS, ledgerRows } from '../audit/ledger-rows.sql.js';

export interface NewDelivery {
  deliveryId: string;
  tenantId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  traceId: string;
  streamKey: string;
  streamSequence: string | null;
  previousSequence: string | null;
  laneId: string | null;
  /** Leased to the worker from the start, which sends it without claiming it first. */
  isHandedOff: boolean;
}

export interface InsertedDelivery {
  deliveryId: string;
  dispatchedAt: string;
}

export interface Routed {
  eventIds: string[];
  deliveries: readonly NewDelivery[];
  entries: readonly LedgerEntry[];
}

/**
 * What routing comes to, in one statement: deliveries that are due at once, events marked as published, ledger entries. A
 * delivery that exists already (same endpoint, same event) is left as it is, and not in the answer.
 */
export async function writeRouted(
  trx: Kysely<unknown>,
  { eventIds, deliveries, entries }: Routed,
  lease: { workerId: string; leaseMs: number },
): Promise<InsertedDelivery[]> {
  const column = <Key extends keyof NewDelivery>(key: Key) => deliveries.map((delivery) => delivery[key]);
  const { rows } = await sql<InsertedDelivery>`
    with inserted as (
      insert into kernel_webhook_delivery (
        delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
        previous_sequence, lane_id, next_attempt_at, dispatched_at, lease_until, lease_epoch, leased_by
      )
      select d.delivery_id, d.tenant_id, d.endpoint_id, d.event_id, d.event_type, d.trace_id, d.stream_key,
        d.stream_sequence, d.previous_sequence, d.lane_id,
        clock_timestamp(), date_trunc('milliseconds', clock_timestamp()),
        case when d.is_handed_off then clock_timestamp() + ${lease.leaseMs} * interval '1 millisecond' end,
        d.is_handed_off::int,
        case when d.is_handed_off then ${lease.workerId} end
      from unnest(
        ${column('deliveryId')}::uuid[], ${column('tenantId')}::uuid[], ${column('endpointId')}::uuid[],
        ${column('eventId')}::uuid[], ${column('eventType')}::text[], ${column('traceId')}::text[],
        ${column('streamKey')}::text[], ${column('streamSequence')}::bigint[],
        ${column('previousSequence')}::bigint[], ${column('laneId')}::uuid[], ${column('isHandedOff')}::boolean[]
      ) as d (
        delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, stream_key, stream_sequence,
        previous_sequence, lane_id, is_handed_off
      )
      on conflict (endpoint_id, event_id) do nothing
      returning delivery_id as "deliveryId", dispatched_at as "dispatchedAt"
    ), published as (
      update kernel_outbox_event set status = 'PUBLISHED', published_at = clock_timestamp()
      where event_id = any(${eventIds}::uuid[])
    ), noted as (
      insert into kernel_ledger_entry (${LEDGER_COLUMNS}) select * from ${ledgerRows(entries)}
    )
    select * from inserted
  `.execute(trx);
  return rows;
}
