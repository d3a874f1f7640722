import { TENANT_ID, EVENT_TYPE, makePayload } from '../webhook/event.ts';
import type { KernelApp } from './kernel-app.ts';

/** Ids of last year, ascending as UUIDv7 are; the digit tells the tables apart. */
const idOf = (digit: number) => `('019a0000-0000-700${digit}-8000-' || lpad(to_hex(place), 12, '0'))::uuid`;

/** History as it looks a day later: published events, delivered at the first attempt, with their ledger entries. */
export async function seedSettled(kernel: KernelApp, count: number): Promise<void> {
  await kernel.query(
    `insert into kernel_outbox_event
       (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at,
        published_at)
     select ${idOf(0)}, ?, 'invoice:past-' || place, ?, at, md5(place::text), ?::jsonb, md5(place::text), 'PUBLISHED',
       at, at
     from generate_series(1, ?) as place, lateral (select now() - interval '1 day' + place * interval '50 ms' as at) t`,
    [TENANT_ID, EVENT_TYPE, JSON.stringify(makePayload()), count],
  );
  await kernel.query(
    `insert into kernel_webhook_delivery
       (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, attempts, last_status_code, trace_id,
        dispatched_at, settled_at, created_at)
     select ${idOf(1)}, tenant_id, endpoint_id, ${idOf(0)}, ?, 'DELIVERED', 1, 204, md5(place::text), at, at, at
     from kernel_webhook_endpoint, generate_series(1, ?) as place,
       lateral (select now() - interval '1 day' + place * interval '50 ms' as at) t`,
    [EVENT_TYPE, count],
  );
  for (const [digit, kind] of ['published', 'attempt', 'delivered'].entries()) {
    await kernel.query(
      `insert into kernel_ledger_entry
         (entry_id, recorded_at, kind, tenant_id, event_id, event_type, delivery_id, trace_id, actor)
       select ${idOf(2 + digit)}, now() - interval '1 day' + place * interval '50 ms', ?, ?, ${idOf(0)}, ?, ${idOf(1)},
         md5(place::text), 'kernel'
       from generate_series(1, ?) as place`,
      [kind, TENANT_ID, EVENT_TYPE, count],
    );
  }
  await kernel.vacuum();
}
