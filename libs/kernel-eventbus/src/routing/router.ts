import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '../audit/append-entries.sql.js';
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
import { insertDeliveries } from './insert-deliveries.sql.js';
import { markPublished } from './mark-published.sql.js';
import { matchEndpoints, type Match } from './match-endpoints.js';
import { isOrdered, planDeliveries, planLanes } from './plan-deliveries.js';

export interface RoutedBatch {
  /** So that the caller knows whether to come again. */
  routed: number;
  /** Leased to this worker already: to be sent without a claim. */
  handedOff: ClaimedDelivery[];
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
  async routeBatch(room: Room): Promise<RoutedBatch> {
    const batch = await this.em
      .fork()
      .getKysely()
      .transaction()
      .execute(async (trx) => {
        const events = await claimPendingEvents(trx, this.config.routingBatchSize, this.#lastTenantId);
        this.#lastTenantId = events.at(-1)?.tenantId ?? NIL_TENANT;
        return events.length > 0 ? this.fanOut(trx, events, room) : { routed: 0, handedOff: [] };
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
    const handedOff = matches.length > 0 ? await this.deliver(trx, matches, room) : [];
    this.hooks.reached('deliveries-inserted');
    await markPublished(
      trx,
      events.map((event) => event.eventId),
    );
    await appendEntries(
      trx,
      events.map((event) => publishedEntry(event, matches)),
    );
    return { routed: events.length, handedOff };
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

  private async deliver(trx: Kysely<unknown>, matches: Match[], room: Room): Promise<ClaimedDelivery[]> {
    const advances = planLanes(matches);
    const lanes = advances.length > 0 ? await advanceLanes(trx, advances) : [];
    const deliveries = planDeliveries(matches, lanes, ({ endpoint }) => !endpoint.isDead && room.take(endpoint));
    const inserted = await insertDeliveries(trx, deliveries, {
      workerId: this.worker.id,
      leaseMs: this.config.leaseMs,
    });
    return handOff(deliveries, inserted);
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
