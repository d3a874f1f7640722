import { randomUUID } from 'node:crypto';
import { Clock } from '@kernel/runtime';
import { v7 as uuidv7 } from 'uuid';
import { startKernelApp, type KernelApp, type KernelAppOptions } from './kernel-app.js';
import type { TestDatabase } from './test-database.js';

export const DAY_MS = 86_400_000;

/** Days before now. */
export const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** A clock that only moves when it is set. */
export class SetClock extends Clock {
  time = new Date();
  override now(): Date {
    return this.time;
  }
}

/** An app whose partitions begin on that day. To get more, advance `clock` and run a round. */
export async function startAt(
  time: Date,
  options: KernelAppOptions = {},
): Promise<{ kernel: KernelApp; clock: SetClock }> {
  const clock = new SetClock();
  clock.time = time;
  const kernel = await startKernelApp({
    ...options,
    adapt: (builder) => builder.overrideProvider(Clock).useValue(clock),
  });
  return { kernel, clock };
}

export interface PastEvent {
  tenantId: string;
  at: Date;
  eventId?: string;
  createdAt?: Date;
  streamKey?: string;
  sequence?: number;
  status?: 'PENDING' | 'PUBLISHED';
  payload?: unknown;
}

/** Inserts an event with its past `created_at`, which triggers do not allow to change later. */
export async function insertPastEvent(database: TestDatabase, event: PastEvent): Promise<string> {
  const eventId = event.eventId ?? uuidv7({ msecs: event.at.getTime() });
  await database.query(
    `insert into kernel_outbox_event
       (event_id, tenant_id, stream_key, stream_sequence, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at)
     values ($1, $2, $3, $4, 't.v1', $5, 'trace-0001', $6, 'hash', $7, $8)`,
    [
      eventId,
      event.tenantId,
      event.streamKey ?? 's:1',
      event.sequence ?? null,
      event.at,
      JSON.stringify(event.payload ?? { total: 5 }),
      event.status ?? 'PENDING',
      event.createdAt ?? event.at,
    ],
  );
  return eventId;
}

export interface PastDelivery {
  tenantId: string;
  endpointId: string;
  eventId?: string;
  status: string;
  at: Date;
  laneId?: string;
}

export async function insertPastDelivery(database: TestDatabase, delivery: PastDelivery): Promise<string> {
  const deliveryId = uuidv7({ msecs: delivery.at.getTime() });
  await database.query(
    `insert into kernel_webhook_delivery
       (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id, dispatched_at, settled_at, created_at, lane_id)
     values ($1, $2, $3, $4, 't.v1', $5, 'trace-0001', $6, case when $5 in ('DELIVERED', 'DLQ') then $6::timestamptz end, $6, $7)`,
    [
      deliveryId,
      delivery.tenantId,
      delivery.endpointId,
      delivery.eventId ?? randomUUID(),
      delivery.status,
      delivery.at,
      delivery.laneId ?? null,
    ],
  );
  return deliveryId;
}

/** Moves creation (by the id) and completion of every delivery back by that many days. */
export async function ageDeliveries(database: TestDatabase, days: number): Promise<void> {
  const rows = await database.query<{ delivery_id: string }>('select delivery_id from kernel_webhook_delivery');
  for (const { delivery_id } of rows) {
    await database.query(
      `update kernel_webhook_delivery set delivery_id = $2, settled_at = settled_at - $3 * interval '1 day' where delivery_id = $1`,
      [delivery_id, uuidv7({ msecs: daysAgo(days).getTime() }), days],
    );
  }
}
