import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Room } from '../delivery/slots.js';
import { newId } from '../runtime/new-id.js';
import type { ClaimedPlain, Subscriber } from './claim-plain.sql.js';
import { handedOff } from './hand-off.js';
import type { MarkedEvent } from './mark-events.sql.js';
import type { NewDelivery, Routed } from './write-routed.sql.js';

/** Whether nothing comes of an event that goes out twice by this dispatcher, as two deliveries. */
export type IsRepeatable = (endpoint: { dispatcher: string | null }) => boolean;

export interface PlainPlan {
  events: ClaimedPlain[];
  /** How many events have to be judged one by one. */
  left: number;
  /** What is written. */
  routed: Routed;
  /** What this worker has a place for, and may be sent before it is written, because nothing comes of a second time. */
  repeatable: ClaimedDelivery[];
  /** What it has a place for besides. */
  unrepeatable: ClaimedDelivery[];
  /** How many deliveries wait in the queue. */
  queued: number;
}

/** Who gets what of the events that need no judgement. */
export function planPlain(rows: readonly ClaimedPlain[], room: Room, isRepeatable: IsRepeatable): PlainPlan {
  const { events, subscribersOf } = sortOut(rows);
  const deliveries: NewDelivery[] = [];
  const marked: MarkedEvent[] = [];
  const repeatable: ClaimedDelivery[] = [];
  const unrepeatable: ClaimedDelivery[] = [];
  for (const event of events) {
    const subscribers = subscribersOf(event);
    marked.push({ eventId: event.eventId, entryId: newId(), deliveryCount: subscribers.length });
    for (const subscriber of subscribers) {
      const delivery = newDelivery(event, subscriber, room);
      deliveries.push(delivery);
      if (delivery.isHandedOff) {
        const claimed = handedOff(
          { deliveryId: delivery.deliveryId, dispatchedAt: event.dispatchedAt },
          event,
          subscriber,
        );
        (isRepeatable(subscriber) ? repeatable : unrepeatable).push(claimed);
      }
    }
  }
  return {
    events,
    left: rows.length - events.length,
    routed: { events: marked, deliveries },
    repeatable,
    unrepeatable,
    queued: deliveries.length - repeatable.length - unrepeatable.length,
  };
}

/** Without those of which an endpoint wants order or looks into the payload. */
function sortOut(rows: readonly ClaimedPlain[]) {
  const byPair = Map.groupBy(rows[0]?.subscribers ?? [], ({ forTenantId, forType }) => `${forTenantId} ${forType}`);
  const subscribersOf = ({ tenantId, type }: ClaimedPlain) => byPair.get(`${tenantId} ${type}`) ?? [];
  return {
    events: rows.filter((event) => !subscribersOf(event).some(({ isChoosy }) => isChoosy)),
    subscribersOf,
  };
}

function newDelivery(event: ClaimedPlain, subscriber: Subscriber, room: Room): NewDelivery {
  const { eventId, tenantId, type, traceId, streamKey, streamSequence, isSuspect, dispatchedAt } = event;
  return {
    deliveryId: newId(),
    tenantId,
    endpointId: subscriber.endpointId,
    eventId,
    eventType: type,
    traceId,
    streamKey,
    streamSequence,
    previousSequence: null,
    laneId: null,
    isHandedOff: !isSuspect && !subscriber.isDead && room.take(subscriber),
    isSuspect,
    dispatchedAt,
  };
}
