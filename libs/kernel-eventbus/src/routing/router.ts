import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Room } from '../delivery/slots.js';
import { EventBusConfig } from '../eventbus.options.js';
import { inHotTransaction } from '../runtime/hot-transaction.js';
import { newId } from '../runtime/new-id.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { advanceLanes } from './advance-lanes.sql.js';
import { claimEventsInTurn, claimOldestEvents, type PendingEvent } from './claim-pending-events.sql.js';
import { findSubscribedEndpoints } from './find-subscribed-endpoints.sql.js';
import { findUnrouted } from './find-unrouted.sql.js';
import { handOff } from './hand-off.js';
import { holdBack } from './hold-back.js';
import { matchEndpoints, type Match } from './match-endpoints.js';
import { isOrdered, planDeliveries, planLanes } from './plan-deliveries.js';
import { SubscriptionJudge } from './subscription-judge.js';
import { writeRouted, type NewDelivery, type RoutedEvent } from './write-routed.sql.js';

export interface RoutedBatch {
  /** So that the caller knows whether to come again. */
  routed: number;
  /** Leased to this worker already: to be sent without a claim. */
  handedOff: ClaimedDelivery[];
  /** Deliveries that wait in the queue, because there was no room or because they go through a lane. */
  queued: number;
}

const NIL_TENANT = '00000000-0000-0000-0000-000000000000';

/** Fans pending events out: claim, match, insert deliveries, mark published, in one short transaction. */
@Injectable()
export class Router {
  #lastTenantId = NIL_TENANT;
  /** The last batch was full, so that tenants have to share the next. */
  #isCrowded = false;
  /** The last batch held events back that another one was routing the streams of. */
  #isInTheWay = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly hooks: StageHooks,
    private readonly subscriptions: SubscriptionJudge,
  ) {}

  /** More waits than a batch takes, and a second one beside it would not only wait for its streams. */
  get hasBacklog(): boolean {
    return this.#isCrowded && !this.#isInTheWay;
  }

  /** `room` says for how many deliveries the worker has a place at once; the others wait in the queue. */
  async routeBatch(room: Room, limit = this.config.routingBatchSize): Promise<RoutedBatch> {
    const batch = await inHotTransaction(this.em.fork().getKysely(), async (trx) => {
      const events = await this.claim(trx, limit);
      return events.length > 0 ? this.fanOut(trx, events, room) : { routed: 0, handedOff: [], queued: 0 };
    });
    if (batch.routed > 0) {
      this.hooks.reached('routed');
    }
    return batch;
  }

  private async claim(trx: Kysely<unknown>, limit: number): Promise<PendingEvent[]> {
    const events = this.#isCrowded
      ? await claimEventsInTurn(trx, { limit, afterTenantId: this.#lastTenantId })
      : await claimOldestEvents(trx, { limit });
    this.#isCrowded = events.length === limit;
    this.#lastTenantId = events.at(-1)?.tenantId ?? NIL_TENANT;
    return events;
  }

  private async fanOut(trx: Kysely<unknown>, claimed: PendingEvent[], room: Room): Promise<RoutedBatch> {
    this.hooks.reached('events-claimed');
    const endpoints = await findSubscribedEndpoints(
      trx,
      [...new Set(claimed.map((event) => event.tenantId))],
      [...new Set(claimed.map((event) => event.type))],
    );
    const wanted = matchEndpoints(claimed, endpoints, this.subscriptions);
    const { events, matches } = await this.keepOrder(trx, claimed, wanted);
    const deliveries = await this.plan(trx, matches, room);
    const inserted = await writeRouted(
      trx,
      { events: countDeliveries(events, matches), deliveries },
      { workerId: this.worker.id, leaseMs: this.config.leaseMs },
    );
    this.hooks.reached('deliveries-inserted');
    const handedOff = handOff(deliveries, inserted);
    return { routed: events.length, handedOff, queued: inserted.length - handedOff.length };
  }

  /** Only where an ordered endpoint is among the matches does it matter what of the same streams is still to be routed. */
  private async keepOrder(
    trx: Kysely<unknown>,
    claimed: PendingEvent[],
    matches: Match[],
  ): Promise<{ events: PendingEvent[]; matches: Match[] }> {
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

function countDeliveries(events: readonly PendingEvent[], matches: readonly Match[]): RoutedEvent[] {
  const counts = new Map<PendingEvent, number>();
  matches.forEach(({ event }) => counts.set(event, (counts.get(event) ?? 0) + 1));
  return events.map((event) => ({
    eventId: event.eventId,
    entryId: newId(),
    deliveryCount: counts.get(event) ?? 0,
  }));
}
