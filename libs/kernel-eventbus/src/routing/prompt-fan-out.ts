import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DONE_AGAIN_IF_LOST } from '../runtime/hot-transaction.js';
import { readThenWrite, type Write } from '../runtime/read-then-write.js';
import { claimPending, type ClaimedPlain } from './claim-plain.sql.js';
import { WRITTEN, type BeginSending, type PlainFanOut, type PlainFanOutOrder } from './plain-fan-out.js';
import { planPlain } from './plain-plan.js';
import { routedStatement, type InsertedDelivery } from './write-routed.sql.js';

/** How many events are taken at a time. Where more wait, the number of statements counts for more than a millisecond. */
export const MOST_PROMPT_EVENTS = 32;
/** What is written for as many leaves in one piece. */
const MOST_PROMPT_DELIVERIES = 64;

export interface PromptFanOutOrder extends PlainFanOutOrder {
  /** Nothing may be sent before it is written. */
  mustWriteFirst: boolean;
}

/**
 * Routes events of those that need no judgement. After the first of two round trips it is known what is to be sent, and it
 * goes out while the second writes it down: the events are locked, so that nobody else can take them. What is lost before it is
 * written is routed again.
 */
export function fanOutPromptly(
  em: EntityManager,
  { room, isRepeatable, mustWriteFirst, workerId, leaseMs, ...claim }: PromptFanOutOrder,
  begin?: BeginSending,
): Promise<PlainFanOut> {
  const route = async (rows: ClaimedPlain[], write: Write): Promise<PlainFanOut> => {
    const { events, routed, repeatable, unrepeatable, queued, left } = planPlain(rows, room, isRepeatable);
    const handedOff = [...repeatable, ...unrepeatable];
    if (events.length === 0) {
      return { events, handedOff, queued, left };
    }
    // Leaves before anything is sent: whatever a delivery does to this process, the server knows who had it.
    const inserted = write<InsertedDelivery>(routedStatement(routed, { workerId, leaseMs }));
    const isPrompt = !mustWriteFirst && routed.deliveries.length <= MOST_PROMPT_DELIVERIES && unrepeatable.length === 0;
    if (isPrompt) {
      const written = inserted.then(() => undefined);
      // If the connection is known to be lost, so is this in the next turn.
      await Promise.race([written, nextTurn()]);
      begin?.(handedOff, { written });
      await written;
    } else {
      const insertedIds = new Set((await inserted).map(({ deliveryId }) => deliveryId));
      begin?.(
        handedOff.filter(({ deliveryId }) => insertedIds.has(deliveryId)),
        { written: WRITTEN },
      );
    }
    return { events, handedOff, queued, left };
  };
  return readThenWrite(em, claimPending(claim), route, DONE_AGAIN_IF_LOST);
}
