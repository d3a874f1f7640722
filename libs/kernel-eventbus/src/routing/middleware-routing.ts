import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Broadcast, BroadcastPipeline } from '../dispatch/broadcast-pipeline.js';
import { toEnvelope } from '../outbox/to-envelope.js';
import { plainArray } from '../runtime/array-literal.js';
import { inHotTransaction } from '../runtime/hot-transaction.js';
import { claimChosenEvents, type ClaimedEvent, type PendingEvent } from './claim-pending-events.sql.js';
import { findSubscribedEndpoints } from './find-subscribed-endpoints.sql.js';
import { findUnrouted } from './find-unrouted.sql.js';
import { holdBack } from './hold-back.js';
import { lockPendingEvents } from './lock-pending-events.sql.js';
import { matchEndpoints } from './match-endpoints.js';
import { isOrdered } from './plan-deliveries.js';
import { NOTHING_ROUTED, type FannedOut } from './routed-batch.js';
import { SetBack } from './set-back.js';
import type { SubscriptionJudge } from './subscription-judge.js';
import { streamOf, toRuns } from './to-runs.js';

/** What middleware tells the fan-out, and what it is told of it. */
export interface FanOutNotes {
  /** By event: the middleware that did not call next. */
  stoppedBy: ReadonlyMap<string, string>;
  /** By event: the deliveries it came to. */
  counts: Map<string, number>;
}

export type FanOut = (trx: Kysely<unknown>, claimed: ClaimedEvent[], notes: FanOutNotes) => Promise<FannedOut>;

/**
 * Routing where the host has broadcast middleware: it runs before the transaction and ends after it, so that it never holds a
 * row. One router at a time has an event's middleware; what fails waits a moment before it is tried again.
 */
export class MiddlewareRouting {
  readonly #setBack = new SetBack();
  readonly #setBackStreams = new SetBack();

  constructor(
    private readonly em: EntityManager,
    private readonly broadcasts: BroadcastPipeline,
    private readonly subscriptions: SubscriptionJudge,
  ) {}

  async route(limit: number, fanOut: FanOut, signal: AbortSignal): Promise<FannedOut> {
    const db = this.em.fork().getKysely<unknown>();
    const turn = await db.startTransaction().execute();
    try {
      const events = await lockPendingEvents(db, turn, limit, this.#setBack.keys);
      const runs = await this.planRuns(db, events);
      const broadcasts = await Promise.all(runs.map((run) => this.beginRun(run, signal)));
      return await this.routeDecided(broadcasts.flat(), fanOut);
    } finally {
      // A connection that was lost meanwhile holds no locks either; what was routed is routed.
      await turn
        .rollback()
        .execute()
        .catch(() => undefined);
    }
  }

  /**
   * Without what an ordered endpoint must not get yet, because something before it is still to be routed: the fan-out would
   * hold it back, and its middleware would have run for nothing.
   */
  private async planRuns(db: Kysely<unknown>, events: PendingEvent[]): Promise<PendingEvent[][]> {
    if (events.length === 0) {
      return [];
    }
    const endpoints = await findSubscribedEndpoints(
      db,
      [...new Set(events.map(({ tenantId }) => tenantId))],
      [...new Set(events.map(({ type }) => type))],
    );
    const ordered = matchEndpoints(events, endpoints, this.subscriptions)
      .filter(isOrdered)
      .map(({ event }) => event);
    const free = ordered.length > 0 ? holdBack(events, await findUnrouted(db, events, ordered)) : events;
    const isFree = new Set(free);
    events
      .filter((event) => !isFree.has(event) && this.#setBackStreams.has(streamOf(event)))
      .forEach(({ eventId }) => this.#setBack.add(eventId));
    return toRuns(free, ordered);
  }

  /** Until one fails: what comes after it waits with it. What is not begun when the worker stops is left to others. */
  private async beginRun(run: readonly PendingEvent[], signal: AbortSignal): Promise<Broadcast[]> {
    const begun: Broadcast[] = [];
    for (const [place, event] of run.entries()) {
      if (signal.aborted) {
        break;
      }
      const envelope = toEnvelope({ ...event, occurredAt: new Date(event.occurredAt).toISOString() });
      const broadcast = await this.broadcasts.begin(envelope, signal);
      if (broadcast.decision.kind === 'fail') {
        run.slice(place).forEach(({ eventId }) => this.#setBack.add(eventId));
        this.#setBackStreams.add(streamOf(event));
        break;
      }
      begun.push(broadcast);
    }
    return begun;
  }

  private async routeDecided(broadcasts: readonly Broadcast[], fanOut: FanOut): Promise<FannedOut> {
    const decided = new Map(broadcasts.map((one) => [one.event.eventId, one]));
    if (decided.size === 0) {
      return NOTHING_ROUTED;
    }
    const stoppedBy = new Map(
      [...decided].flatMap(([eventId, { decision }]) =>
        decision.kind === 'stop' ? [[eventId, decision.by] as const] : [],
      ),
    );
    const counts = new Map<string, number>();
    try {
      const batch = await inHotTransaction(this.em.fork().getKysely(), async (trx) => {
        const claimed = await claimChosenEvents(trx, { eventIds: plainArray([...decided.keys()]) });
        return claimed.length > 0 ? fanOut(trx, claimed, { stoppedBy, counts }) : NOTHING_ROUTED;
      });
      await Promise.all(
        [...decided.values()].map((one) => one.end({ deliveries: counts.get(one.event.eventId) ?? 0 })),
      );
      return batch;
    } catch (error) {
      const fault = error instanceof Error ? error : new Error('routing failed');
      await Promise.all([...decided.values()].map((one) => one.end(fault)));
      throw error;
    }
  }
}
