import { setImmediate as nextTurn } from 'node:timers/promises';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntriesStatement } from '../audit/append-entries.sql.js';
import { KERNEL_ACTOR, ledgerEntry, type LedgerEntry } from '../audit/ledger-entry.js';
import type { Room } from '../delivery/slots.js';
import { BroadcastPipeline } from '../dispatch/broadcast-pipeline.js';
import { Capabilities } from '../dispatch/capabilities.js';
import { HTTP_DISPATCHER } from '../dispatch/http-dispatcher.js';
import { EventBusConfig } from '../eventbus.options.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { DONE_AGAIN_IF_LOST } from '../runtime/hot-transaction.js';
import { newId } from '../runtime/new-id.js';
import { readThenWrite, type OpenTransaction } from '../runtime/read-then-write.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { traceRouting } from '../telemetry/spans.js';
import { advanceLanes, type AdvancedLane } from './advance-lanes.sql.js';
import { claimPendingEvents, type ClaimedEvent } from './claim-pending-events.sql.js';
import { findUnrouted, type Unrouted } from './find-unrouted.sql.js';
import { keepContiguousPrefix } from './keep-contiguous-prefix.js';
import type { Match } from './match-subscribers.js';
import { MiddlewareRouting, type FanOutNotes } from './middleware-routing.js';
import { isOrdered, planDeliveries, planLanes, type PlannedDelivery } from './plan-deliveries.js';
import { NOTHING_ROUTED, type BeginSending, type FannedOut, type RoutedBatch } from './routed-batch.js';
import { SubscriptionJudge } from './subscription-judge.js';
import { MAX_BATCH_DELIVERIES, takeBatch, type TakenBatch } from './take-batch.js';
import { toClaimedDelivery } from './to-claimed-delivery.js';
import { UnfinishedEvaluations } from './unfinished-evaluations.js';
import { insertRouted, writeRouted, type InsertedDelivery } from './write-routed.sql.js';

/** Events per batch while no more wait than one batch takes: a small batch is on its way sooner. */
const MAX_PROMPT_EVENTS = 32;
/** Deliveries of a batch that leaves for the server in one piece, so that it can be sent while it is written. */
const MAX_PROMPT_DELIVERIES = 64;

const NEVER = new AbortController().signal;
const NIL_TENANT = '00000000-0000-0000-0000-000000000000';

export interface RouteRequest {
  /** Events in the batch. Default: `routingBatchSize`. */
  limit?: number;
  /** Tenants whose events are left alone. Default: none. */
  exceptTenantIds?: readonly string[];
  /** Ends waiting for middleware. */
  signal?: AbortSignal;
  /** Takes the deliveries to be sent. Default: nothing is sent. */
  begin?: BeginSending;
  /** Takes deliveries that may have been written under this worker's lease, but are not begun, because the answer was lost. */
  release?: (deliveryIds: string[]) => void;
}

type Sending = Pick<RouteRequest, 'begin' | 'release'>;

/** Fans pending events out: claim, match, plan, write, in one transaction. */
@Injectable()
export class Router {
  #lastTenantId = NIL_TENANT;
  /** The last batch was full, so that tenants share the next. */
  #isCrowded = false;
  /** The last batch left events out whose streams another router is routing. */
  #isInTheWay = false;
  /** The last batch was not written, but may have been sent: the next is written before it is sent. */
  #mustWriteFirst = false;
  readonly #unfinished = new UnfinishedEvaluations();
  readonly #middleware: MiddlewareRouting;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly hooks: StageHooks,
    private readonly broadcasts: BroadcastPipeline,
    private readonly subscriptions: SubscriptionJudge,
    private readonly observers: PipelineObservers,
    private readonly capabilities: Capabilities,
  ) {
    this.#middleware = new MiddlewareRouting(em, broadcasts, subscriptions, this.#unfinished);
  }

  /** More waits than a batch takes, and a second batch beside it would not wait for the same streams. */
  get hasBacklog(): boolean {
    return this.#isCrowded && !this.#isInTheWay;
  }

  /**
   * `room` says how many deliveries the worker can send at once; the others wait in the queue. Those it can send are handed to `begin`,
   * small batches while they are being written. Returns when the batch is written.
   */
  async routeBatch(room: Room, request: RouteRequest = {}): Promise<RoutedBatch> {
    const { limit = this.config.routingBatchSize, exceptTenantIds = [], signal = NEVER, ...sending } = request;
    const startedAt = Date.now();
    const { events, leased, queued } = this.broadcasts.isUsed
      ? await this.#middleware.route(
          { limit, exceptTenantIds },
          (claimed, transaction, notes) => this.fanOut(claimed, transaction, room, sending, notes),
          signal,
        )
      : await this.routePending(room, { limit, exceptTenantIds }, sending);
    if (events.length > 0) {
      this.hooks.reached('routed');
      this.observers.routed(events);
      traceRouting(events, startedAt);
    }
    return { routed: events.length, leased, queued };
  }

  private routePending(
    room: Room,
    { limit, exceptTenantIds }: Required<Pick<RouteRequest, 'limit' | 'exceptTenantIds'>>,
    sending: Sending,
  ): Promise<FannedOut> {
    const isInTurn = this.#isCrowded || exceptTenantIds.length > 0;
    const claim = {
      limit: isInTurn ? limit : Math.min(limit, MAX_PROMPT_EVENTS),
      afterTenantId: isInTurn ? this.#lastTenantId : undefined,
      exceptTenantIds,
    };
    return readThenWrite(
      this.em,
      claimPendingEvents(claim),
      (claimed: ClaimedEvent[], transaction) => {
        const isFull = (claimed[0]?.lockedCount ?? 0) >= Math.min(claim.limit, claimed.length + 1);
        return this.fanOut(claimed, transaction, room, sending, undefined, ({ events, lastTenantId }) => {
          if (exceptTenantIds.length === 0) {
            this.#isCrowded = isFull || events.length < claimed.length || isShareUsedUp(claimed);
            this.#lastTenantId = lastTenantId ?? NIL_TENANT;
          }
        });
      },
      DONE_AGAIN_IF_LOST,
    );
  }

  private async fanOut(
    claimed: ClaimedEvent[],
    transaction: OpenTransaction,
    room: Room,
    sending: Sending,
    { stoppedBy, counts }: FanOutNotes = { stoppedBy: new Map(), counts: new Map() },
    onTaken?: (taken: TakenBatch<ClaimedEvent>) => void,
  ): Promise<FannedOut> {
    const taken = await takeBatch(claimed, this.subscriptions, this.#unfinished, (eventId) => stoppedBy.has(eventId));
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
    const leased = await this.write(events, deliveries, counts, transaction, sending);
    this.hooks.reached('deliveries-inserted');
    return {
      events,
      leased,
      queued: deliveries.length - leased.length,
      isCut: taken.events.length < lockedCount,
    };
  }

  /** Only an ordered match depends on events of the same stream that are still to be routed. */
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
    return planDeliveries(matches, lanes, ({ event, endpoint }) => {
      const { endpointId, maxInFlight, isCircuitOpen } = endpoint;
      return (
        !isCircuitOpen &&
        this.capabilities.canSend(endpoint) &&
        room.take({ tenantId: event.tenantId, endpointId, maxInFlight })
      );
    });
  }

  /** Writes the batch and begins to send the deliveries that were leased with it. Returns these. */
  private async write(
    events: readonly ClaimedEvent[],
    deliveries: readonly PlannedDelivery[],
    counts: ReadonlyMap<string, number>,
    transaction: OpenTransaction,
    { begin, release }: Sending,
  ) {
    const marked = events.map(({ eventId }) => ({
      eventId,
      entryId: newId(),
      deliveryCount: counts.get(eventId) ?? 0,
    }));
    const lease = { workerId: this.worker.id, leaseMs: this.config.leaseMs };
    const slices = slicesOf(deliveries);
    const last = slices.pop() ?? [];
    const insertedBefore: InsertedDelivery[] = [];
    for (const slice of slices) {
      insertedBefore.push(...(await transaction.query<InsertedDelivery>(insertRouted(slice, lease))));
    }
    // Leaves before anything is sent: if a delivery kills this process, the server knows which worker had it.
    const inserting = transaction.commitWith<InsertedDelivery>(
      writeRouted({ events: marked, deliveries: last }, lease),
    );
    const written = inserting.then(() => undefined);
    const leased = deliveries.filter(({ isLeasedOnInsert }) => isLeasedOnInsert);
    const isPrompt = !this.#mustWriteFirst && deliveries.length <= MAX_PROMPT_DELIVERIES;
    const { early = [], late = [] } = Object.groupBy(leased, ({ match: { endpoint } }) =>
      isPrompt && this.isRepeatable(endpoint.dispatcher) ? 'early' : 'late',
    );
    try {
      // A connection that is known to be lost rejects within this turn.
      await Promise.race([written, nextTurn()]);
      begin?.(early.map(toClaimed), written);
      const insertedIds = new Set([...insertedBefore, ...(await inserting)].map(({ deliveryId }) => deliveryId));
      this.#mustWriteFirst = false;
      const inserted = late.filter(({ deliveryId }) => insertedIds.has(deliveryId));
      begin?.(inserted.map(toClaimed), written);
      return [...early, ...inserted].map(toClaimed);
    } catch (error) {
      this.#mustWriteFirst = true;
      release?.(late.map(({ deliveryId }) => deliveryId));
      throw error;
    }
  }

  /**
   * Receivers and handlers know an event by its id. A dispatcher of the host may take a second delivery of it for another event's, as
   * a broker does that drops repeats.
   */
  private isRepeatable(dispatcher: string | null): boolean {
    const name = dispatcher ?? this.config.defaultDispatcher;
    return name === HANDLER_DISPATCHER || (name === HTTP_DISPATCHER && this.config.httpDispatcher);
  }
}

/** An event with more deliveries than a statement takes is written in slices, by one transaction. */
function slicesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MAX_BATCH_DELIVERIES) }, (_, n) =>
    items.slice(n * MAX_BATCH_DELIVERIES, (n + 1) * MAX_BATCH_DELIVERIES),
  );
}

function toClaimed({ deliveryId, match }: PlannedDelivery) {
  return toClaimedDelivery(deliveryId, match);
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

/** Where tenants take turns: one of them got its whole share, so that more may wait. */
function isShareUsedUp(events: readonly { tenantId: string; share?: number }[]): boolean {
  const counts = new Map<string, number>();
  events.forEach(({ tenantId }) => counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1));
  return Math.max(...counts.values()) >= (events[0]?.share ?? Infinity);
}
