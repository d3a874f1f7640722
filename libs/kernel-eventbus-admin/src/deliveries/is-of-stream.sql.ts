import { raw } from '@mikro-orm/core';

/**
 * MikroORM condition for rows with an event id: the event belongs to the stream. Uses the index of events by stream.
 */
export function isOfStream(streamKey: string, tenantId: string | undefined): Record<string, []> {
  const ofTenant = tenantId === undefined ? '' : 'and tenant_id = ?';
  const values = tenantId === undefined ? [streamKey] : [streamKey, tenantId];
  return {
    [raw(`event_id in (select event_id from kernel_outbox_event where stream_key = ? ${ofTenant})`, values)]: [],
  };
}
