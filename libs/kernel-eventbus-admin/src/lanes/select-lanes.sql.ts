import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isOpen } from '@kernel/eventbus/engine';

/** Waiting deliveries are counted up to this limit. */
export const MAX_WAITING = 1_000;

export interface LaneFilter {
  laneId?: string;
  tenantId?: string;
  endpointId?: string;
  isBlocked?: boolean;
  /** Only lanes after this one in the list. */
  before?: string;
  limit: number;
}

export interface ListedLane {
  laneId: string;
  tenantId: string;
  endpointId: string;
  streamKey: string;
  lastSequence: string;
  blockedBy: string | null;
  blockedAt: string | null;
  isParked: boolean;
  readyAt: string | null;
  waiting: number;
}

/** Newest first, without lanes of deleted endpoints. */
export async function selectLanes(db: Kysely<unknown>, filter: LaneFilter): Promise<ListedLane[]> {
  const { rows } = await sql<ListedLane>`
    select l.lane_id as "laneId", l.tenant_id as "tenantId", l.endpoint_id as "endpointId",
      l.stream_key as "streamKey", l.last_sequence as "lastSequence", l.blocked_by as "blockedBy",
      l.blocked_at::text as "blockedAt", l.is_parked as "isParked", l.ready_at::text as "readyAt", open.waiting
    from (
      select l.* from kernel_lane l
      join kernel_webhook_endpoint p on p.endpoint_id = l.endpoint_id
      where ${sql.join(conditionsOf(filter), sql` and `)}
      order by l.lane_id desc
      limit ${filter.limit}
    ) l
    cross join lateral (
      select count(*)::int as waiting from (
        select from kernel_webhook_delivery d
        where d.lane_id = l.lane_id and ${isOpen('d')} limit ${MAX_WAITING}
      ) d
    ) open
    order by l.lane_id desc
  `.execute(db);
  return rows;
}

function conditionsOf({ laneId, tenantId, endpointId, isBlocked, before }: LaneFilter): RawBuilder<unknown>[] {
  return [
    sql`p.deleted_at is null`,
    laneId !== undefined && sql`l.lane_id = ${laneId}::uuid`,
    tenantId !== undefined && sql`l.tenant_id = ${tenantId}::uuid`,
    endpointId !== undefined && sql`l.endpoint_id = ${endpointId}::uuid`,
    isBlocked === true && sql`l.blocked_by is not null`,
    isBlocked === false && sql`l.blocked_by is null`,
    before !== undefined && sql`l.lane_id < ${before}::uuid`,
  ].filter((condition) => typeof condition === 'object');
}
