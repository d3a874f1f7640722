import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { sql, type Kysely } from 'kysely';
import type { Broadcast, BroadcastPipeline } from '../dispatch/broadcast-pipeline.js';
import { toEnvelope } from '../outbox/to-envelope.js';
import {
  plainArray,
  STATEMENT_MS,
  engineDatabase,
  DONE_AGAIN_IF_LOST,
  executeHot,
  readThenWrite,
  type OpenTransaction,
} from '@kernel/runtime';
import {
  claimChosenEvents,
  type ClaimedEvent,
  type EventClaim,
  type PendingEvent,
  lockPendingEvents,
} from './pending-events.sql.js';
import type { EventMatcher } from './event-matcher.js';
import { findUnrouted, type Unrouted } from './find-unrouted.sql.js';
import { keepContiguousPrefix } from './keep-contiguous-prefix.js';
import { isOrdered } from './plan-deliveries.js';
import { NOTHING_ROUTED, type FannedOut } from './routed-batch.js';
import { CooldownSet } from './cooldown-set.js';
import { streamOf, toRuns } from './to-runs.js';

/** Interval of a turn's keep-alive statements, and the silence after which the server releases its locks. */
const SIGN_MS = 5_000;
const TURN_IDLE_MS = 20_000;
const NIL_TENANT = '00000000-0000-0000-0000-000000000000';

/** Data that middleware and fan-out exchange. */
export interface FanOutNotes {
  /** By event: the middleware that did not call next. */
  stoppedBy: ReadonlyMap<string, string>;
  /** By event: the number of its deliveries. */
  counts: Map<string, number>;
}

export type FanOut = (claimed: ClaimedEvent[], transaction: OpenTransaction, notes: FanOutNotes) => Promise<FannedOut>;

/**
 * Routing with broadcast middleware of the host: it runs before the transaction and ends after it, so that it never
 * holds a row lock. One router at a time runs an event's middleware, as long as its connection lives. Failed events are
 * retried after a short pause.
 */
export class MiddlewareRouting {
  readonly #logger = new Logger(MiddlewareRouting.name);
  readonly #cooling = new CooldownSet();
  readonly #coolingStreams = new CooldownSet();
  #lastTenantId = NIL_TENANT;

  constructor(
    private readonly em: EntityManager,
    private readonly broadcasts: BroadcastPipeline,
    private readonly matcher: EventMatcher,
  ) {}

  async route(claim: Omit<EventClaim, 'afterTenantId'>, fanOut: FanOut, signal: AbortSignal): Promise<FannedOut> {
    let routed: FannedOut | undefined;
    try {
      await engineDatabase(this.em, STATEMENT_MS, TURN_IDLE_MS)
        .transaction()
        .execute(async (turn) => {
          routed = await this.keepTurn(turn, () => this.routeIn(turn, claim, fanOut, signal));
        });
    } catch (error) {
      // A turn that was lost meanwhile holds no locks, but its events are routed.
      if (!routed) {
        throw error;
      }
    }
    return routed!;
  }

  private async routeIn(
    turn: Kysely<unknown>,
    claim: Omit<EventClaim, 'afterTenantId'>,
    fanOut: FanOut,
    signal: AbortSignal,
  ): Promise<FannedOut> {
    const afterTenantId = this.#lastTenantId;
    const db = engineDatabase(this.em);
    const locked = await lockPendingEvents(db, turn, { ...claim, afterTenantId }, this.#cooling.keys);
    this.#lastTenantId = locked.lastTenantId ?? afterTenantId;
    const runs = await this.planRuns(locked.events);
    const broadcasts = await Promise.all(runs.map((run) => this.beginRun(run, signal)));
    return this.routeDecided(broadcasts.flat(), fanOut);
  }

  /** Middleware may be slow: statements in between show the server that the turn is not lost. */
  private async keepTurn<T>(turn: Kysely<unknown>, work: () => Promise<T>): Promise<T> {
    let sign: Promise<unknown> = Promise.resolve();
    const signs = setInterval(() => {
      sign = sql`select 1`.execute(turn).catch(() => {
        clearInterval(signs);
        this.#logger.warn('the connection of a routing turn was lost; another router may run its middleware meanwhile');
      });
    }, SIGN_MS);
    try {
      return await work();
    } finally {
      clearInterval(signs);
      await sign;
    }
  }

  /**
   * Leaves out events that an ordered endpoint must not get yet, because an earlier one is still to be routed: the
   * fan-out would hold them back, and their middleware would have run for nothing.
   */
  private async planRuns(locked: PendingEvent[]): Promise<PendingEvent[][]> {
    const { events, matches } = await this.matcher.takeBatch(locked, (read) => executeHot(this.em, read));
    const ordered = matches.filter(isOrdered).map(({ event }) => event);
    const free =
      ordered.length > 0
        ? keepContiguousPrefix(events, await executeHot<Unrouted>(this.em, findUnrouted(events, ordered)))
        : events;
    const isFree = new Set(free);
    events
      .filter((event) => !isFree.has(event) && this.#coolingStreams.has(streamOf(event)))
      .forEach(({ eventId }) => this.#cooling.add(eventId));
    return toRuns(free, ordered);
  }

  /** Stops at the first failure: the rest of the run waits with it. If the worker stops, others take the rest. */
  private async beginRun(run: readonly PendingEvent[], signal: AbortSignal): Promise<Broadcast[]> {
    const begun: Broadcast[] = [];
    for (const [place, event] of run.entries()) {
      if (signal.aborted) {
        break;
      }
      const envelope = toEnvelope({ ...event, occurredAt: new Date(event.occurredAt).toISOString() });
      const broadcast = await this.broadcasts.begin(envelope, signal);
      if (broadcast.decision.kind === 'fail') {
        run.slice(place).forEach(({ eventId }) => this.#cooling.add(eventId));
        this.#coolingStreams.add(streamOf(event));
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
    const batches: FannedOut[] = [];
    for (let left = decided; left.size > 0;) {
      const batch = await this.routeOnce(left, fanOut, { stoppedBy, counts });
      const isRouted = new Set(batch.events.map(({ eventId }) => eventId));
      const isOver = (eventId: string) => !batch.isCut || isRouted.has(eventId);
      const over = [...left].filter(([eventId]) => isOver(eventId));
      await Promise.all(over.map(([eventId, one]) => one.end({ deliveries: counts.get(eventId) ?? 0 })));
      left = new Map([...left].filter(([eventId]) => !isOver(eventId)));
      batches.push(batch);
    }
    return {
      events: batches.flatMap(({ events }) => events),
      leased: batches.flatMap(({ leased }) => leased),
      queued: batches.reduce((sum, { queued }) => sum + queued, 0),
      isCut: false,
    };
  }

  private async routeOnce(decided: ReadonlyMap<string, Broadcast>, fanOut: FanOut, notes: FanOutNotes) {
    try {
      return await readThenWrite(
        this.em,
        claimChosenEvents(plainArray([...decided.keys()])),
        (claimed: ClaimedEvent[], transaction) => fanOut(claimed, transaction, notes),
        DONE_AGAIN_IF_LOST,
      );
    } catch (error) {
      const fault = error instanceof Error ? error : new Error('routing failed');
      await Promise.all([...decided.values()].map((one) => one.end(fault)));
      throw error;
    }
  }
}
