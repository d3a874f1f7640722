import { sql, type Kysely } from 'kysely';
import { columnsOf, plainArray, type Statement, newId, prepared } from '@kernel/runtime';
import { isUnleased } from './lease-columns.sql.js';

// Routers and operators lock lanes by endpoint, tenant and stream key: no two of them wait for each other.

/** Lane: resting --> ready, where the lane exists. One whose head waits for its retry keeps its time. */
const WAKE_EXISTING = { text: 'ready_at = coalesce(l.ready_at, excluded.ready_at), wake_count = l.wake_count + 1' };

/** Assignments of blocked --> ready for lane `l`. */
const UNBLOCK = sql.raw(
  'blocked_by = null, blocked_at = null, ready_at = clock_timestamp(), wake_count = l.wake_count + 1',
);

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
  /** The last sequence before this advance; null for a new lane. */
  previousSequence: string | null;
}

/** Lane: [*] --> ready (first event routed into it) and resting --> ready (next event routed into it). */
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
  set previous_sequence = l.last_sequence, last_sequence = excluded.last_sequence, ${WAKE_EXISTING}
  returning lane_id as "laneId", endpoint_id as "endpointId", tenant_id as "tenantId", stream_key as "streamKey",
    previous_sequence as "previousSequence"
`;

export interface LateLane {
  laneId: string;
  tenantId: string;
  streamKey: string;
  /** The last sequence routed into it; 0 for a new lane. */
  lastSequence: string;
}

/** The same arrows for events that are routed late, before it is known how far the lanes move. Holds their locks. */
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
    set ${sql.raw(WAKE_EXISTING.text)}
    returning lane_id as "laneId", tenant_id as "tenantId", stream_key as "streamKey",
      last_sequence::text as "lastSequence"
  `.execute(trx);
  return rows;
}

/** Moves held lanes to the last sequence that was routed late. A sequence lower than the lane's changes nothing. */
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

export interface SkippedDeadLetter {
  deliveryId: string;
  eventId: string | null;
  eventType: string | null;
}

/** Lane: blocked --> ready (dead letter skipped). The dead letter stays. Undefined when the lane is not blocked. */
export async function skipDeadLetter(trx: Kysely<unknown>, laneId: string): Promise<SkippedDeadLetter | undefined> {
  const { rows } = await sql<SkippedDeadLetter>`
    with blocked as (
      select lane_id, blocked_by from kernel_lane where lane_id = ${laneId} and blocked_by is not null for update
    ), unblocked as (
      update kernel_lane l set ${UNBLOCK} from blocked where l.lane_id = blocked.lane_id
    )
    select blocked.blocked_by as "deliveryId", d.event_id as "eventId", d.event_type as "eventType"
    from blocked left join kernel_webhook_delivery d on d.delivery_id = blocked.blocked_by
  `.execute(trx);
  return rows[0];
}

/**
 * Lane: blocked --> ready and parked --> free, for all lanes of an endpoint that no longer asks for ordering or is
 * deleted: no operator will unblock them. Waits for the routers that hold such a lane, and locks lanes in their order:
 * none may stay behind with a delivery routed at this moment.
 */
export async function freeLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with held_up as (
      select lane_id from kernel_lane
      where endpoint_id = ${endpointId} and (blocked_by is not null or is_parked)
      order by stream_key for update
    )
    update kernel_lane l set is_parked = false, ${UNBLOCK} from held_up where l.lane_id = held_up.lane_id
  `.execute(trx);
}

/**
 * Lane: ready --> resting, for the lanes of a deleted endpoint, before their deliveries are dead-lettered. Skips lanes
 * that a worker or a router holds: a worker finds them empty at its next claim, or dead-letters the deliveries routed
 * into them.
 */
export async function emptyLanes(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`
    with idle as (
      select lane_id from kernel_lane l
      where l.endpoint_id = ${endpointId} and l.ready_at is not null and ${isUnleased('l')}
      for update skip locked
    )
    update kernel_lane l set ready_at = null
    from idle where l.lane_id = idle.lane_id
  `.execute(trx);
}

/** The ids of those lanes that are parked. */
export async function findParkedLanes(
  db: Kysely<unknown>,
  laneIds: readonly (string | null | undefined)[],
): Promise<ReadonlySet<string>> {
  const ids = laneIds.filter((laneId) => typeof laneId === 'string');
  if (ids.length === 0) {
    return new Set();
  }
  const { rows } = await sql<{ laneId: string }>`
    select lane_id as "laneId" from kernel_lane where lane_id = any(${ids}::uuid[]) and is_parked
  `.execute(db);
  return new Set(rows.map(({ laneId }) => laneId));
}
