import { sql, type Kysely } from 'kysely';
import type { OperationScope } from '../operations/operation.js';
import { isInScope, type EventRetention } from './replayable.sql.js';

export interface PickedDelivery {
  deliveryId: string;
  tenantId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  traceId: string;
  laneId: string | null;
  status: string;
  attempts: number;
}

/**
 * The next deliveries in the order in which they were made, locked. One that somebody else holds at this moment is being
 * replayed or removed by him, and is passed over: so this never waits while it holds others.
 */
export async function pickReplayable(
  trx: Kysely<unknown>,
  scope: OperationScope,
  retention: EventRetention,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<PickedDelivery[]> {
  const { rows } = await sql<PickedDelivery>`
    select d.delivery_id as "deliveryId", d.tenant_id as "tenantId", d.endpoint_id as "endpointId", d.event_id as "eventId",
      d.event_type as "eventType", d.trace_id as "traceId", d.lane_id as "laneId", d.status, d.attempts
    from kernel_webhook_delivery d
    where d.delivery_id > ${afterId}::uuid and ${isInScope(scope, retention)}
    order by d.delivery_id
    limit ${limit}
    for update of d skip locked
  `.execute(trx);
  return rows;
}
