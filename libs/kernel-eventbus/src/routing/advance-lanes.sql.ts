import { plainArray, columnsOf } from '../runtime/array-literal.js';
import type { Statement } from '../runtime/hot-statement.js';
import { prepared } from '../runtime/prepared.js';
import { newId } from '../runtime/new-id.js';

export interface LaneAdvance {
  tenantId: string;
  endpointId: string;
  streamKey: string;
  lastSequence: string;
}

export interface AdvancedLane {
  laneId: string;
  endpointId: string;
  tenantId: string;
  streamKey: string;
  /** What was the last one before this advance; null for a new lane. */
  previousSequence: string | null;
}

/** Makes lanes or moves them on, and wakes them. Sorted, so that two routers cannot wait for each other. */
export function advanceLanes(advances: readonly LaneAdvance[]): Statement {
  const { plain, text } = columnsOf(advances);
  return ADVANCE_LANES.bind({
    laneId: plainArray(advances.map(() => newId())),
    tenantId: plain('tenantId'),
    endpointId: plain('endpointId'),
    streamKey: text('streamKey'),
    lastSequence: plain('lastSequence'),
  });
}

const ADVANCE_LANES = prepared<'laneId' | 'tenantId' | 'endpointId' | 'streamKey' | 'lastSequence', AdvancedLane>`
  insert into kernel_lane as l (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, ready_at)
  select a.*, clock_timestamp()
  from unnest(
    ${'laneId'}::uuid[], ${'tenantId'}::uuid[], ${'endpointId'}::uuid[],
    ${'streamKey'}::text[], ${'lastSequence'}::bigint[]
  ) as a (lane_id, tenant_id, endpoint_id, stream_key, last_sequence)
  order by a.endpoint_id, a.tenant_id, a.stream_key
  on conflict (endpoint_id, tenant_id, stream_key) do update
  set previous_sequence = l.last_sequence, last_sequence = excluded.last_sequence,
    ready_at = coalesce(l.ready_at, excluded.ready_at), wake_count = l.wake_count + 1
  returning lane_id as "laneId", endpoint_id as "endpointId", tenant_id as "tenantId", stream_key as "streamKey",
    previous_sequence as "previousSequence"
`;
