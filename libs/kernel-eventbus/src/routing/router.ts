import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { KERNEL_ACTOR, ledgerEntry } from '../audit/ledger-entry.js';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Room } from '../delivery/slots.js';
import { EventBusConfig } from '../eventbus.options.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { advanceLanes } from './advance-lanes.sql.js';
import { claimPendingEvents, type PendingEvent } from './claim-pending-events.sql.js';
import { findSubscribedEndpoints } from './find-subscribed-endpoints.sql.js';
import { findUnrouted } from './find-unrouted.sql.js';
import { handOff } from './hand-off.js';
import { holdBack } from './hold-back.js';
import { matchEndpoints, type Match } from './match-endpoints.js';
import { isOrdered, planDeliveries, planLanes } from './plan-deliveries.js';
import { writeRouted, type NewDelivery } from './write-routed.sql.js';

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

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly hooks: StageHooks,
  ) {}

  /** `room` says for how many deliveries the worker has a place at once; the others wait in the queue. */
  async routeBatch(room: Room, limit = this.config.routingBatchSize): Promise<RoutedBatch> {
    const batch = await this.em
      .fork()
      .getKysely()
      .transaction()
      .execute(async (trx) => {
        const events = await claimPendingEvents(trx, limit, this.#lastTenantId);
        this.#lastTenantId = events.at(-1)?.tenantId ?? NIL_TENANT;
        return events.length > 0 ? this.fanOut(trx, events, room) : { routed: 0, handedOff: [], queued: 0 };
      });
    if (batch.routed > 0) {
      this.hooks.reached('routed');
    }
    return batch;
  }

  private async fanOut(trx: Kysely<unknown>, claimed: PendingEvent[], room: Room): Promise<RoutedBatch> {
    this.hooks.reached('events-claimed');
    const endpoints = await findSubscribedEndpoints(
      trx,
      [...new Set(claimed.map((event) => event.tenantId))],
      [...new Set(claimed.map((event) => event.type))],
    );
    const { events, matches } = await this.keepOrder(trx, claimed, matchEndpoints(claimed, endpoints));
    const deliveries = await this.plan(trx, matches, room);
    const inserted = await writeRouted(
      trx,
      {
        eventIds: events.map((event) => event.eventId),
        deliveries,
        entries: events.map((event) => publishedEntry(event, matches)),
      },
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
      return { events: claimed, matches };
    }
    const events = holdBack(claimed, await findUnrouted(trx, claimed, ordered));
    const isKept = new Set(events);
    return { events, matches: matches.filter(({ event }) => isKept.has(event)) };
  }

  private async plan(trx: Kysely<unknown>, matches: Match[], room: Room): Promise<(NewDelivery & { match: Match })[]> {
    const advances = planLanes(matches);
    const lanes = advances.length > 0 ? await advanceLanes(trx, advances) : [];
    return planDeliveries(matches, lanes, ({ endpoint }) => !endpoint.isDead && room.take(endpoint));
  }
}

function publishedEntry(event: PendingEvent, matches: readonly Match[]) {
  return ledgerEntry({
    kind: 'published',
    actor: KERNEL_ACTOR,
    tenantId: event.tenantId,
    eventId: event.eventId,
    eventType: event.type,
    traceId: event.traceId,
    aggregateType: event.aggregateType,
    aggregateId: event.aggregateId,
    attributesJson: event.attributesJson,
    detail: { deliveries: matches.filter((match) => match.event === event).length },
  });
}
