import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { appendEntries } from '../audit/append-entries.sql.js';
import { KERNEL_ACTOR, ledgerEntry } from '../audit/ledger-entry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { claimPendingEvents, type PendingEvent } from './claim-pending-events.sql.js';
import { findSubscribedEndpoints } from './find-subscribed-endpoints.sql.js';
import { insertDeliveries } from './insert-deliveries.sql.js';
import { markPublished } from './mark-published.sql.js';
import { matchEndpoints, type Match } from './match-endpoints.js';

/** Fans pending events out: claim, match, insert deliveries, mark published, in one short transaction. */
@Injectable()
export class Router {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  /** Routes one batch; the number of events routed, so that the caller knows whether to come again. */
  async routeBatch(): Promise<number> {
    return this.em
      .fork()
      .getKysely()
      .transaction()
      .execute(async (trx) => {
        const events = await claimPendingEvents(trx, this.config.routingBatchSize);
        if (events.length > 0) {
          await this.fanOut(trx, events);
        }
        return events.length;
      });
  }

  private async fanOut(trx: Kysely<unknown>, events: PendingEvent[]): Promise<void> {
    const endpoints = await findSubscribedEndpoints(
      trx,
      [...new Set(events.map((event) => event.tenantId))],
      [...new Set(events.map((event) => event.type))],
    );
    const matches = matchEndpoints(events, endpoints);
    if (matches.length > 0) {
      await insertDeliveries(trx, matches.map(toDelivery));
    }
    await markPublished(
      trx,
      events.map((event) => event.eventId),
    );
    await appendEntries(
      trx,
      events.map((event) => publishedEntry(event, matches)),
    );
  }
}

function toDelivery({ event, endpoint }: Match) {
  return {
    deliveryId: uuidv7(),
    tenantId: event.tenantId,
    endpointId: endpoint.endpointId,
    eventId: event.eventId,
    eventType: event.type,
    traceId: event.traceId,
  };
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
