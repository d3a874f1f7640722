import { newId } from '@kernel/runtime';
import type { PendingEvent } from './pending-events.sql.js';
import type { AdvancedLane, LaneAdvance } from '../deliveries/lanes.sql.js';
import type { NewDelivery } from '../deliveries/new-deliveries.sql.js';
import type { Match } from './match-subscribers.js';

export interface PlannedDelivery extends NewDelivery {
  match: Match;
}

/** True if the endpoint asks for stream order and the event has a sequence number. */
export function isOrdered({ event, endpoint }: Match<PendingEvent>): boolean {
  return endpoint.ordering === 'stream' && event.streamSequence !== null;
}

/** The advance of each lane, in the order in which routers lock lanes, also if they are advanced in slices. */
export function planLanes(matches: readonly Match[]): LaneAdvance[] {
  const advances = new Map<string, LaneAdvance>();
  for (const { event, endpoint } of inSequence(matches.filter(isOrdered))) {
    advances.set(laneKey(endpoint.endpointId, event), {
      tenantId: event.tenantId,
      endpointId: endpoint.endpointId,
      streamKey: event.streamKey,
      lastSequence: event.streamSequence!,
    });
  }
  return [...advances.values()].sort((one, other) => (one.endpointId < other.endpointId ? -1 : 1));
}

/** Deliveries for all matches; within a lane each names its predecessor. */
export function planDeliveries(
  matches: readonly Match[],
  lanes: readonly AdvancedLane[],
  isLeasedOnInsert: (match: Match) => boolean,
): PlannedDelivery[] {
  const lanesByKey = new Map(lanes.map((lane) => [laneKey(lane.endpointId, lane), lane]));
  const previous = new Map(lanes.map((lane) => [lane.laneId, lane.previousSequence]));
  return inSequence(matches).map((match) => {
    const { event, endpoint } = match;
    const lane = isOrdered(match) ? lanesByKey.get(laneKey(endpoint.endpointId, event))! : undefined;
    const previousSequence = lane ? previous.get(lane.laneId)! : null;
    if (lane) {
      previous.set(lane.laneId, event.streamSequence);
    }
    return {
      match,
      deliveryId: newId(),
      tenantId: event.tenantId,
      endpointId: endpoint.endpointId,
      eventId: event.eventId,
      eventType: event.type,
      traceId: event.traceId,
      streamKey: event.streamKey,
      streamSequence: event.streamSequence,
      previousSequence,
      laneId: lane?.laneId ?? null,
      isLeasedOnInsert: !lane && isLeasedOnInsert(match),
      dispatchedAt: event.dispatchedAt,
    };
  });
}

function inSequence(matches: readonly Match[]): Match[] {
  return [...matches].sort((a, b) => Number(a.event.streamSequence ?? 0) - Number(b.event.streamSequence ?? 0));
}

function laneKey(endpointId: string, { tenantId, streamKey }: { tenantId: string; streamKey: string }): string {
  return `${endpointId} ${tenantId} ${streamKey}`;
}
