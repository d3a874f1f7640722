import { sql, type Kysely } from 'kysely';
import { columnsOf, plainArray } from '../runtime/array-literal.js';
import { newId } from '../runtime/new-id.js';

export interface LateLane {
  laneId: string;
  tenantId: string;
  streamKey: string;
  /** The last number that was routed into it; 0 for a new lane. */
  lastSequence: string;
}

/** Makes the lanes that are missing, wakes and locks all of them, in the order in which routers take them. */
export async function holdLateLanes(
  trx: Kysely<unknown>,
  endpointId: string,
  streams: readonly { tenantId: string; streamKey: string }[],
): Promise<LateLane[]> {
  const { plain, text } = columnsOf(streams);
  const { rows } = await sql<LateLane>`
    insert into kernel_lane as l (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, ready_at)
    select s.lane_id, s.tenant_id, ${endpointId}::uuid, s.stream_key, 0, clock_timestamp()
    from unnest(
      ${plainArray(streams.map(() => newId()))}::uuid[], ${plain('tenantId')}::uuid[], ${text('streamKey')}::text[]
    ) as s (lane_id, tenant_id, stream_key)
    order by s.tenant_id, s.stream_key
    on conflict (endpoint_id, tenant_id, stream_key) do update
    set ready_at = coalesce(l.ready_at, excluded.ready_at), wake_count = l.wake_count + 1
    returning lane_id as "laneId", tenant_id as "tenantId", stream_key as "streamKey", last_sequence::text as "lastSequence"
  `.execute(trx);
  return rows;
}

/** Notes how far the lanes came; a number that lies behind what was routed before changes nothing. */
export async function advanceLateLanes(
  trx: Kysely<unknown>,
  lanes: readonly { laneId: string; lastSequence: string; previousSequence: string | null }[],
): Promise<void> {
  const { plain } = columnsOf(lanes);
  await sql`
    update kernel_lane l set last_sequence = a.last_sequence, previous_sequence = a.previous_sequence
    from unnest(
      ${plain('laneId')}::uuid[], ${plain('lastSequence')}::bigint[], ${plain('previousSequence')}::bigint[]
    ) as a (lane_id, last_sequence, previous_sequence)
    where l.lane_id = a.lane_id and l.last_sequence < a.last_sequence
  `.execute(trx);
}
