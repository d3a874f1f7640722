import { newId } from '@kernel/runtime';
import type { LateDelivery } from '../deliveries/new-deliveries.sql.js';
import type { LateLane } from '../deliveries/lanes.sql.js';
import type { MissingEvent } from './missing-events.sql.js';

/**
 * Late deliveries in stream order. A sequence number beyond the lane's end names its predecessor, as in normal routing.
 * One that fills a gap names none: its successor was already sent with another predecessor.
 */
export function planLateDeliveries(
  events: readonly MissingEvent[],
  lanes: readonly LateLane[],
  { endpointId, isEnabled }: { endpointId: string; isEnabled: boolean },
): LateDelivery[] {
  const lanesByStream = new Map(lanes.map((lane) => [streamOf(lane), { ...lane, last: BigInt(lane.lastSequence) }]));
  return inSequence(events).map(({ eventId, tenantId, type, traceId, streamKey, streamSequence }) => {
    const lane = streamSequence === null ? undefined : lanesByStream.get(streamOf({ tenantId, streamKey }));
    let previousSequence: string | null = null;
    if (lane && BigInt(streamSequence!) > lane.last) {
      previousSequence = lane.last === 0n ? null : String(lane.last);
      lane.last = BigInt(streamSequence!);
    }
    return {
      deliveryId: newId(),
      tenantId,
      endpointId,
      eventId,
      eventType: type,
      traceId,
      streamKey,
      streamSequence,
      previousSequence,
      laneId: lane?.laneId ?? null,
      isParked: !lane && !isEnabled,
    };
  });
}

/** The new end of each lane. */
export function lateAdvances(deliveries: readonly LateDelivery[]) {
  const furthest = new Map<string, { laneId: string; lastSequence: string; previousSequence: string | null }>();
  for (const { laneId, streamSequence, previousSequence } of deliveries) {
    if (laneId !== null) {
      furthest.set(laneId, { laneId, lastSequence: streamSequence!, previousSequence });
    }
  }
  return [...furthest.values()];
}

export function streamOf({ tenantId, streamKey }: { tenantId: string; streamKey: string }): string {
  return `${tenantId} ${streamKey}`;
}

function inSequence(events: readonly MissingEvent[]): MissingEvent[] {
  return [...events].sort((a, b) => Number(a.streamSequence ?? 0) - Number(b.streamSequence ?? 0));
}
