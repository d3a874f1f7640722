import type { DeliveryStatus } from '../../src/deliveries/webhook-delivery.js';
import type { TestDatabase } from '@kernel/test-support/test-database';

export interface StoredDelivery {
  deliveryId: string;
  eventId: string;
  endpointId: string;
  laneId: string | null;
  streamSequence: string | null;
  previousSequence: string | null;
  status: DeliveryStatus;
  attempts: number;
  leasedBy: string | null;
  leaseEpoch: number;
  isSuspect: boolean;
}

export interface StoredEvent {
  eventId: string;
  status: 'PENDING' | 'PUBLISHED';
  streamSequence: string | null;
}

export interface Snapshot {
  events: StoredEvent[];
  deliveries: StoredDelivery[];
}

/** State of these tenants in the database, read without the engine. Deliveries are in lane order. */
export async function takeSnapshot(database: TestDatabase, tenantIds: readonly string[]): Promise<Snapshot> {
  const [events, deliveries] = await Promise.all([
    database.query<StoredEvent>(
      `select event_id as "eventId", status, stream_sequence as "streamSequence"
       from kernel_outbox_event where tenant_id = any($1)`,
      [tenantIds],
    ),
    database.query<StoredDelivery>(
      `select delivery_id as "deliveryId", event_id as "eventId", endpoint_id as "endpointId", lane_id as "laneId",
         stream_sequence as "streamSequence", previous_sequence as "previousSequence", status, attempts,
         leased_by as "leasedBy", lease_epoch as "leaseEpoch", is_suspect as "isSuspect"
       from kernel_webhook_delivery where tenant_id = any($1) order by stream_sequence`,
      [tenantIds],
    ),
  ]);
  return { events, deliveries };
}

/** Number of attempts concluded as delivered in the ledger, per delivery. */
export async function countDelivered(
  database: TestDatabase,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ deliveryId: string; count: number }>(
    `select delivery_id as "deliveryId", count(*)::int as count from kernel_ledger_entry
     where conclusion = 'delivered' and tenant_id = any($1) group by 1`,
    [tenantIds],
  );
  return new Map(rows.map(({ deliveryId, count }) => [deliveryId, count]));
}
