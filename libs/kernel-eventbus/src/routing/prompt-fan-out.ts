import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Room } from '../delivery/slots.js';
import { DONE_AGAIN_IF_LOST } from '../runtime/hot-transaction.js';
import { newId } from '../runtime/new-id.js';
import { readThenWrite, type Write } from '../runtime/read-then-write.js';
import { claimPlain, type ClaimedPlain, type Subscriber } from './claim-plain.sql.js';
import { handedOff } from './hand-off.js';
import type { PlainFanOut, PlainFanOutOrder } from './plain-fan-out.js';
import { routedStatement, type MarkedEvent, type NewDelivery } from './write-routed.sql.js';

/** Is handed what may be sent, and a promise of its rows: what becomes of it has to wait for them. */
export type BeginSending = (deliveries: ClaimedDelivery[], written: Promise<void>) => void;

/** How many events are taken at a time. Where more wait, the number of statements counts for more than a millisecond. */
export const MOST_PROMPT_EVENTS = 32;
/** What is written for as many leaves in one piece. */
const MOST_PROMPT_DELIVERIES = 64;

export interface PromptFanOutOrder extends PlainFanOutOrder {
  /** Whether nothing comes of an event that goes out twice by this dispatcher, as two deliveries. */
  isRepeatable: (endpoint: { dispatcher: string | null }) => boolean;
}

interface Planned {
  event: ClaimedPlain;
  subscriber: Subscriber;
  delivery: NewDelivery;
}

/**
 * Routes a few events of those that need no judgement. After the first of two round trips it is known what is to be sent, and it
 * goes out while the second writes it down: the events are locked, so that nobody else can take them. What is lost before it is
 * written is routed again.
 */
export function fanOutPromptly(
  em: EntityManager,
  { limit, room, isRepeatable, ...lease }: PromptFanOutOrder,
  begin: BeginSending,
): Promise<PlainFanOut> {
  const route = async (rows: ClaimedPlain[], write: Write): Promise<PlainFanOut> => {
    const { events, subscribersOf } = sortOut(rows);
    const left = rows.length - events.length;
    if (events.length === 0) {
      return { events, handedOff: [], queued: 0, left };
    }
    const dispatchedAt = rows[0]!.now;
    const planned = events.flatMap((event) => subscribersOf(event).map((subscriber) => plan(event, subscriber, room)));
    const sent = planned.filter(({ delivery }) => delivery.isHandedOff);
    const deliveries = sent.map(({ event, subscriber, delivery: { deliveryId } }) =>
      handedOff({ deliveryId, dispatchedAt }, event, subscriber),
    );
    const routed = {
      events: events.map((event): MarkedEvent => marked(event, subscribersOf(event).length)),
      deliveries: planned.map(({ delivery }) => delivery),
    };
    // Leaves before anything is sent: whatever a delivery does to this process, the server knows who had it.
    const written = write(routedStatement(routed, lease, dispatchedAt));
    const isPrompt =
      planned.length <= MOST_PROMPT_DELIVERIES && sent.every(({ subscriber }) => isRepeatable(subscriber));
    // If the connection is known to be lost, so is this in the next turn.
    await (isPrompt ? Promise.race([written, nextTurn()]) : written);
    begin(deliveries, written);
    await written;
    return { events, handedOff: deliveries, queued: planned.length - deliveries.length, left };
  };
  return readThenWrite(em, claimPlain.bind({ limit }), route, DONE_AGAIN_IF_LOST);
}

/** Without those of which an endpoint wants order or looks into the payload. */
function sortOut(rows: readonly ClaimedPlain[]) {
  const subscribers = rows[0]?.subscribers ?? [];
  const byPair = Map.groupBy(subscribers, ({ forTenantId, forType }) => `${forTenantId} ${forType}`);
  const subscribersOf = ({ tenantId, type }: ClaimedPlain) => byPair.get(`${tenantId} ${type}`) ?? [];
  return {
    events: rows.filter((event) => !subscribersOf(event).some(({ isChoosy }) => isChoosy)),
    subscribersOf,
  };
}

function plan(event: ClaimedPlain, subscriber: Subscriber, room: Room): Planned {
  const { eventId, tenantId, type, traceId, streamKey, streamSequence } = event;
  const delivery = {
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
    isHandedOff: !subscriber.isDead && room.take(subscriber),
  };
  return { event, subscriber, delivery };
}

function marked({ eventId }: ClaimedPlain, deliveryCount: number): MarkedEvent {
  return { eventId, entryId: newId(), deliveryCount };
}
