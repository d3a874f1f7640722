import { raw } from '@mikro-orm/core';

/** MikroORM condition for rows with an event id: the event belongs to the stream. */
export function isOfStream(streamKey: string, tenantId: string | undefined): Record<string, []> {
  return { [tenantId === undefined ? ofAnyTenant(streamKey) : ofTenant(streamKey, tenantId)]: [] };
}

/** Uses the index of events by tenant and stream. */
function ofTenant(streamKey: string, tenantId: string) {
  return raw(`event_id in (select event_id from kernel_outbox_event where stream_key = ? and tenant_id = ?)`, [
    streamKey,
    tenantId,
  ]);
}

/** Looks each event up: no index has streams of all tenants. For a search that bounds the rows. */
function ofAnyTenant(streamKey: string) {
  return raw(
    (row) => `(select e.stream_key from kernel_outbox_event e where e.event_id = ${row}.event_id) = ?`,
    [streamKey],
  );
}
