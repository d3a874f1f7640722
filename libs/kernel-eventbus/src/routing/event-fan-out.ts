import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntriesStatement, KERNEL_ACTOR, ledgerEntry, type LedgerEntry } from '@kernel/ledger';
import { advanceLanes, type AdvancedLane } from '../deliveries/lanes.sql.js';
import { Capabilities } from '../dispatch/capabilities.js';
import type { OpenTransaction } from '@kernel/runtime';
import { StageHooks } from '../runtime/stage-hooks.js';
import { BatchWriter } from './batch-writer.js';
import type { ClaimedEvent } from './pending-events.sql.js';
import { EventMatcher } from './event-matcher.js';
import { findUnrouted, type Unrouted } from './find-unrouted.sql.js';
import { keepContiguousPrefix } from './keep-contiguous-prefix.js';
import type { Match } from './match-subscribers.js';
import type { FanOutNotes } from './middleware-routing.js';
import { isOrdered, planDeliveries, planLanes, type PlannedDelivery } from './plan-deliveries.js';
import { NOTHING_ROUTED, type FannedOut, type Sending } from './routed-batch.js';
import type { Room } from './room.js';
import { slicesOf, type TakenBatch } from './take-batch.js';

/** Fans claimed events out to their endpoints within the router's transaction: match, keep order, plan, write. */
@Injectable()
export class EventFanOut {
  #isInTheWay = false;

  constructor(
    private readonly em: EntityManager,
    private readonly hooks: StageHooks,
    private readonly matcher: EventMatcher,
    private readonly capabilities: Capabilities,
    private readonly writer: BatchWriter,
  ) {}

  /** True: the last batch left out events whose streams another router is routing. */
  get isInTheWay(): boolean {
    return this.#isInTheWay;
  }

  async fanOut(
    claimed: ClaimedEvent[],
    transaction: OpenTransaction,
    room: Room,
    sending: Sending,
    { stoppedBy, counts }: FanOutNotes = { stoppedBy: new Map(), counts: new Map() },
    onTaken?: (taken: TakenBatch<ClaimedEvent>) => void,
  ): Promise<FannedOut> {
    const taken = await this.matcher.takeBatch(
      claimed,
      (read) => transaction.query(read),
      (eventId) => stoppedBy.has(eventId),
    );
    onTaken?.(taken);
    const { events, matches } = await this.keepOrder(taken.events, taken.matches, transaction);
    if (events.length === 0) {
      return { ...NOTHING_ROUTED, isCut: taken.events.length === 0 && claimed.length > 0 };
    }
    const lockedCount = claimed[0]!.lockedCount;
    this.hooks.reached('events-claimed');
    matches.forEach(({ event }) => counts.set(event.eventId, (counts.get(event.eventId) ?? 0) + 1));
    await this.noteShortCircuits(events, stoppedBy, transaction);
    const deliveries = await this.plan(matches, room, transaction);
    const leased = await this.writer.write(events, deliveries, counts, transaction, sending);
    this.hooks.reached('deliveries-inserted');
    return {
      events,
      leased,
      queued: deliveries.length - leased.length,
      isCut: taken.events.length < lockedCount,
    };
  }

  /** Only an ordered match depends on earlier events of its stream that are not routed yet. */
  private async keepOrder(
    claimed: ClaimedEvent[],
    matches: Match[],
    transaction: OpenTransaction,
  ): Promise<{ events: ClaimedEvent[]; matches: Match[] }> {
    const ordered = matches.filter(isOrdered).map(({ event }) => event);
    if (ordered.length === 0) {
      this.#isInTheWay = false;
      return { events: claimed, matches };
    }
    const unrouted = await transaction.query<Unrouted>(findUnrouted(claimed, ordered));
    const events = keepContiguousPrefix(claimed, unrouted);
    this.#isInTheWay = events.length < claimed.length;
    const isKept = new Set(events);
    return { events, matches: matches.filter(({ event }) => isKept.has(event)) };
  }

  private async noteShortCircuits(
    events: readonly ClaimedEvent[],
    stoppedBy: ReadonlyMap<string, string>,
    transaction: OpenTransaction,
  ): Promise<void> {
    const entries = shortCircuitsOf(events, stoppedBy);
    if (entries.length > 0) {
      await transaction.query(appendEntriesStatement(this.em.getKysely(), entries));
    }
  }

  private async plan(matches: Match[], room: Room, transaction: OpenTransaction): Promise<PlannedDelivery[]> {
    const lanes: AdvancedLane[] = [];
    for (const advances of slicesOf(planLanes(matches))) {
      lanes.push(...(await transaction.query<AdvancedLane>(advanceLanes(advances))));
    }
    return planDeliveries(matches, lanes, ({ event, endpoint, isCircuitOpen }) => {
      const { endpointId, maxInFlight } = endpoint;
      return (
        !isCircuitOpen &&
        this.capabilities.canSend(endpoint) &&
        room.take({ tenantId: event.tenantId, endpointId, maxInFlight })
      );
    });
  }
}

function shortCircuitsOf(events: readonly ClaimedEvent[], stoppedBy: ReadonlyMap<string, string>): LedgerEntry[] {
  return events.flatMap(({ eventId, tenantId, type, traceId }) => {
    const middleware = stoppedBy.get(eventId);
    const event = { eventId, tenantId, eventType: type, traceId };
    return middleware
      ? ledgerEntry({ kind: 'short-circuited', actor: KERNEL_ACTOR, ...event, detail: { middleware } })
      : [];
  });
}
