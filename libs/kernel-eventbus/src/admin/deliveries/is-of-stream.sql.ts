import { raw } from '@mikro-orm/core';

/** A condition of MikroORM on what has an event id: that its event belongs to the stream. The index of events by stream finds them. */
export function isOfStream(streamKey: string, tenantId: string | undefined): Record<string, []> {
  const ofTenant = tenantId === undefined ? '' : 'and tenant_id = ?';
  const values = tenantId === undefined ? [streamKey] : [streamKey, tenantId];
  return {
    [raw(`event_id in (select event_id from kernel_outbox_event where stream_key = ? ${ofTenant})`, values)]: [],
  };
}
