import { randomInt } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { KERNEL_ACTOR } from '../audit/ledger-entry.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Room } from '../delivery/slots.js';
import { plainArray } from '../runtime/array-literal.js';
import { DONE_AGAIN_IF_LOST } from '../runtime/hot-transaction.js';
import { newId } from '../runtime/new-id.js';
import { fanOutInTurn, type FannedOutEvent, type FanOutRow, type FanOutSummary } from './fan-out-plain.sql.js';
import { handedOff } from './hand-off.js';
import type { RoutedEvent } from '../telemetry/pipeline-observers.js';

export interface PlainFanOut {
  /** What was routed. */
  events: (RoutedEvent & { tenantId: string })[];
  handedOff: ClaimedDelivery[];
  queued: number;
  /** How many events have to be judged one by one. */
  left: number;
}

export interface PlainFanOutOrder {
  limit: number;
  room: Room;
  workerId: string;
  leaseMs: number;
}

const ID_PREFIX = 24;
const LARGEST_FIRST_NUMBER = 2 ** 47;

/** Routes a batch of what needs no judgement, in one round trip. Tenants take turns, beginning behind `afterTenantId`. */
export async function fanOutPlain(
  em: EntityManager,
  { limit, room, workerId, leaseMs }: PlainFanOutOrder,
  afterTenantId: string,
): Promise<PlainFanOut> {
  const held = room.held();
  const values = {
    afterTenantId,
    limit,
    places: room.places,
    workerId,
    leaseMs,
    perEndpoint: room.limits.perEndpoint,
    prefetch: room.limits.prefetch,
    shares: room.shares,
    heldIds: plainArray(held.endpointIds),
    heldCounts: plainArray(held.counts),
    actor: KERNEL_ACTOR,
    deliveryIds: newId().slice(0, ID_PREFIX),
    entryIds: newId().slice(0, ID_PREFIX),
    firstNumber: randomInt(LARGEST_FIRST_NUMBER),
  };
  return read(await fanOutInTurn.alone(em, values, DONE_AGAIN_IF_LOST));
}

function read(rows: readonly FanOutRow[]): PlainFanOut {
  const summary = rows.find((row) => row.summary)!.summary!;
  const events = rows.filter((row): row is FanOutRow & FannedOutEvent => row.eventId !== null);
  return { events, handedOff: handOffAll(events, summary), queued: summary.queued, left: summary.left };
}

function handOffAll(events: readonly FannedOutEvent[], { endpoints, dispatchedAt }: FanOutSummary): ClaimedDelivery[] {
  const byId = new Map(endpoints?.map((endpoint) => [endpoint.endpointId, endpoint]));
  const all: ClaimedDelivery[] = [];
  for (const event of events) {
    if (event.deliveryIds === null) {
      continue;
    }
    const endpointIds = event.endpointIds!.split(' ');
    event.deliveryIds.split(' ').forEach((deliveryId, place) => {
      const payloadJson = event.payloadJson!;
      all.push(handedOff({ deliveryId, dispatchedAt }, { ...event, payloadJson }, byId.get(endpointIds[place]!)!));
    });
  }
  return all;
}
