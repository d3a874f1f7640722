import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '../audit/append-entries.sql.js';
import { KERNEL_ACTOR, ledgerEntry, type LedgerEntry } from '../audit/ledger-entry.js';
import type { Room } from '../delivery/slots.js';
import { EventBusConfig } from '../eventbus.options.js';
import { inHotTransaction } from '../runtime/hot-transaction.js';
import { newId } from '../runtime/new-id.js';
import { BroadcastPipeline } from '../dispatch/broadcast-pipeline.js';
import { HTTP_DISPATCHER } from '../dispatch/http-dispatcher.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { traceRouting } from '../telemetry/spans.js';
import { advanceLanes } from './advance-lanes.sql.js';
import { claimEventsInTurn, claimOldestEvents, type ClaimedEvent } from './claim-pending-events.sql.js';
import { findSubscribedEndpoints } from './find-subscribed-endpoints.sql.js';
import { findUnrouted } from './find-unrouted.sql.js';
import { handOff } from './hand-off.js';
import { WRITTEN, type BeginSending } from './plain-fan-out.js';
import { fanOutPromptly, MOST_PROMPT_EVENTS } from './prompt-fan-out.js';
import { fanOutSettled } from './settled-fan-out.js';
import { holdBack } from './hold-back.js';
import { matchEndpoints, type Match } from './match-endpoints.js';
import { isOrdered, planDeliveries, planLanes } from './plan-deliveries.js';
import { MiddlewareRouting, type FanOut, type FanOutNotes } from './middleware-routing.js';
import { NOTHING_ROUTED, type FannedOut, type RoutedBatch } from './routed-batch.js';
import { SubscriptionJudge } from './subscription-judge.js';
import { writeRouted, type NewDelivery } from './write-routed.sql.js';

/** How long events are matched one by one after an endpoint was seen that wants order or looks into payloads. */
const JUDGE_FOR_MS = 10_000;

/** How long full batches are written first after one could not be written when it was sent. */
const WRITE_FIRST_FOR_MS = 60_000;

const NIL_TENANT = '00000000-0000-0000-0000-000000000000';

/** Fans pending events out: claim, match, insert deliveries, mark published, in one transaction. */
@Injectable()
export class Router {
  #lastTenantId = NIL_TENANT;
  /** The last batch was full, so that tenants have to share the next. */
  #isCrowded = false;
  /** The last batch held events back that another one was routing the streams of. */
  #isInTheWay = false;
  /** A batch could not be written, and may have been sent: nothing is, until it is known that it can be written. */
  #mustWriteFirst = false;
  /** The same for batches that are written when they are sent: what makes them fail may let all others pass. */
  #writeFirstUntil = 0;
  /** Endpoints that want order or look into payloads were seen: events are matched one by one until then. */
  #judgeUntil = 0;
  readonly #middleware: MiddlewareRouting;
  /**
   * Receivers and handlers know an event by its id. A dispatcher of the host's own may take a second delivery of it for
   * somebody else's, as a broker does that drops repeats.
   */
  readonly #isRepeatable = ({ dispatcher }: { dispatcher: string | null }): boolean => {
    const name = dispatcher ?? this.config.defaultDispatcher;
    return name === HANDLER_DISPATCHER || (name === HTTP_DISPATCHER && this.config.httpDispatcher);
  };

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly hooks: StageHooks,
    private readonly broadcasts: BroadcastPipeline,
    private readonly subscriptions: SubscriptionJudge,
    private readonly observers: PipelineObservers,
  ) {
    this.#middleware = new MiddlewareRouting(em, broadcasts, subscriptions);
  }

  /** More waits than a batch takes, and a second one beside it would not only wait for its streams. */
  get hasBacklog(): boolean {
    return this.#isCrowded && !this.#isInTheWay;
  }

  /**
   * `room` says for how many deliveries the worker has a place at once; the others wait in the queue. What it has a place for is handed
   * to `begin`, where that can be as soon as it is known, and before the batch is written. Without `begin` nothing is sent, and everything is
   * written when this returns.
   */
  async routeBatch(
    room: Room,
    limit = this.config.routingBatchSize,
    signal: AbortSignal = new AbortController().signal,
    begin?: BeginSending,
  ): Promise<RoutedBatch> {
    const startedAt = Date.now();
    const { events, handedOff, queued, written } = await this.routeWhat(room, limit, signal, begin);
    const batch = { routed: events.length, handedOff, queued };
    const tell = () => {
      this.hooks.reached('routed');
      this.observers.routed(events);
      traceRouting(events, startedAt);
    };
    if (written) {
      const recorded = written.then(() => {
        tell();
        this.hooks.reached('recorded');
      });
      return { ...batch, written: recorded };
    }
    if (events.length > 0) {
      tell();
    }
    return batch;
  }

  private async routeWhat(room: Room, limit: number, signal: AbortSignal, begin?: BeginSending): Promise<FannedOut> {
    if (this.broadcasts.isUsed) {
      const fanOut: FanOut = (trx, claimed, told) => this.fanOut(trx, claimed, room, told);
      return beginAll(await this.#middleware.route(limit, fanOut, signal), begin);
    }
    if (performance.now() >= this.#judgeUntil) {
      const batch = await this.routePlain(room, limit, begin);
      if (batch.events.length > 0 || performance.now() >= this.#judgeUntil) {
        return batch;
      }
    }
    return beginAll(await this.routeJudged(room, limit), begin);
  }

  /**
   * While no endpoint of what waits wants order or looks into payloads. Few events are sent while they are written; where more waits than a
   * batch takes, they are written when they are sent.
   */
  private async routePlain(room: Room, limit: number, begin?: BeginSending): Promise<FannedOut> {
    const mustWriteFirst = this.#mustWriteFirst;
    const isInTurn = this.#isCrowded;
    const most = isInTurn ? limit : Math.min(limit, MOST_PROMPT_EVENTS);
    const order = {
      limit: most,
      afterTenantId: isInTurn ? this.#lastTenantId : undefined,
      room,
      workerId: this.worker.id,
      leaseMs: this.config.leaseMs,
      isRepeatable: this.#isRepeatable,
    };
    const isSettledFirst = isInTurn && !mustWriteFirst && performance.now() >= this.#writeFirstUntil;
    const { left, ...batch } = await (
      isSettledFirst && begin
        ? fanOutSettled(this.em, order, begin)
        : fanOutPromptly(this.em, { ...order, mustWriteFirst }, begin)
    ).catch((error: unknown) => this.cannotWrite(error));
    const { events, written } = batch;
    if (events.length > 0) {
      this.#mustWriteFirst = false;
    }
    written?.catch(() => {
      this.#mustWriteFirst = true;
      this.#writeFirstUntil = performance.now() + WRITE_FIRST_FOR_MS;
    });
    if (left > 0) {
      this.#judgeUntil = performance.now() + JUDGE_FOR_MS;
    }
    this.#isInTheWay = false;
    this.noteTurns(events, events.length + left === most || isShareUsedUp(events));
    return batch;
  }

  private cannotWrite(error: unknown): never {
    this.#mustWriteFirst = true;
    throw error;
  }

  private routeJudged(room: Room, limit: number): Promise<FannedOut> {
    return inHotTransaction(this.em.fork().getKysely(), async (trx) => {
      const events = await this.claim(trx, limit);
      return events.length > 0 ? this.fanOut(trx, events, room) : NOTHING_ROUTED;
    });
  }

  private async claim(trx: Kysely<unknown>, limit: number): Promise<ClaimedEvent[]> {
    const events = this.#isCrowded
      ? await claimEventsInTurn(trx, { limit, afterTenantId: this.#lastTenantId })
      : await claimOldestEvents(trx, { limit });
    this.noteTurns(events, events.length === limit || isShareUsedUp(events));
    return events;
  }

  private noteTurns(events: readonly { tenantId: string }[], isCrowded: boolean): void {
    this.#isCrowded = isCrowded;
    this.#lastTenantId = events.at(-1)?.tenantId ?? NIL_TENANT;
  }

  private async fanOut(
    trx: Kysely<unknown>,
    claimed: ClaimedEvent[],
    room: Room,
    { stoppedBy, counts }: FanOutNotes = { stoppedBy: new Map(), counts: new Map() },
  ): Promise<FannedOut> {
    this.hooks.reached('events-claimed');
    const endpoints = await findSubscribedEndpoints(
      trx,
      [...new Set(claimed.map((event) => event.tenantId))],
      [...new Set(claimed.map((event) => event.type))],
    );
    if (endpoints.some((endpoint) => endpoint.ordering === 'stream' || endpoint.subscriptions.length > 0)) {
      this.#judgeUntil = performance.now() + JUDGE_FOR_MS;
    }
    const passed = claimed.filter(({ eventId }) => !stoppedBy.has(eventId));
    const { events, matches } = await this.keepOrder(
      trx,
      claimed,
      matchEndpoints(passed, endpoints, this.subscriptions),
    );
    matches.forEach(({ event }) => counts.set(event.eventId, (counts.get(event.eventId) ?? 0) + 1));
    if (events.length === 0) {
      return NOTHING_ROUTED;
    }
    await appendEntries(trx, shortCircuitsOf(events, stoppedBy));
    const deliveries = await this.plan(trx, matches, room);
    const inserted = await writeRouted(
      trx,
      {
        events: events.map(({ eventId }) => ({ eventId, entryId: newId(), deliveryCount: counts.get(eventId) ?? 0 })),
        deliveries,
      },
      { workerId: this.worker.id, leaseMs: this.config.leaseMs },
    );
    this.hooks.reached('deliveries-inserted');
    const handedOff = handOff(deliveries, inserted);
    return { events, handedOff, queued: inserted.length - handedOff.length };
  }

  /** Only where an ordered endpoint is among the matches does it matter what of the same streams is still to be routed. */
  private async keepOrder(
    trx: Kysely<unknown>,
    claimed: ClaimedEvent[],
    matches: Match[],
  ): Promise<{ events: ClaimedEvent[]; matches: Match[] }> {
    const ordered = matches.filter(isOrdered).map(({ event }) => event);
    if (ordered.length === 0) {
      this.#isInTheWay = false;
      return { events: claimed, matches };
    }
    const events = holdBack(claimed, await findUnrouted(trx, claimed, ordered));
    this.#isInTheWay = events.length < claimed.length;
    const isKept = new Set(events);
    return { events, matches: matches.filter(({ event }) => isKept.has(event)) };
  }

  private async plan(trx: Kysely<unknown>, matches: Match[], room: Room): Promise<(NewDelivery & { match: Match })[]> {
    const advances = planLanes(matches);
    const lanes = advances.length > 0 ? await advanceLanes(trx, advances) : [];
    return planDeliveries(matches, lanes, ({ endpoint }) => !endpoint.isDead && room.take(endpoint));
  }
}

function beginAll<Batch extends Pick<FannedOut, 'handedOff'>>(batch: Batch, begin?: BeginSending): Batch {
  begin?.(batch.handedOff, { written: WRITTEN });
  return batch;
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

/** Where tenants take turns: one of them got as much as the batch had for him, so that more may wait. */
function isShareUsedUp(events: readonly { tenantId: string; share?: number }[]): boolean {
  const counts = new Map<string, number>();
  events.forEach(({ tenantId }) => counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1));
  return Math.max(...counts.values()) >= (events[0]?.share ?? Infinity);
}
