import { sql, type Kysely } from 'kysely';
import type { BodyParts } from './build-body.js';
import { DELIVERY_EVENT } from '../deliveries/delivery-columns.sql.js';

/** The parts of a delivery's body; undefined when its event is past its retention. */
export async function selectBodyParts(db: Kysely<unknown>, deliveryId: string): Promise<BodyParts | undefined> {
  const { rows } = await sql<BodyParts>`
    select e.event_id as "eventId", e.tenant_id as "tenantId", e.stream_key as "streamKey", e.type,
      e.occurred_at as "occurredAt", e.trace_id as "traceId", e.actor_id as "actorId",
      e.payload_jsonb::text as "payloadJson", c.dispatched_at as "dispatchedAt"
    from kernel_webhook_delivery c cross join ${DELIVERY_EVENT}
    where c.delivery_id = ${deliveryId}::uuid
  `.execute(db);
  return rows[0];
}
