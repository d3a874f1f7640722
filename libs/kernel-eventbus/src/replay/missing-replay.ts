import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries, ledgerEntry } from '@kernel/ledger';
import { EventBusConfig } from '../eventbus.config.js';
import { ALL_TENANTS } from '../envelope/tenant-id.js';
import { CountTookTooLong } from './operations/count-took-too-long.error.js';
import type { Batch, ClaimedOperation, Cursor, OperationScope } from './operations/operation.js';
import type { CountBounds, OperationWork } from './operations/operation-work.js';
import { JudgedEvent } from '../endpoints/subscriptions/judged-event.js';
import { LoopTurns } from '@kernel/runtime';
import { type Subscriber, SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';
import { WebhookEndpointEntity } from '../endpoints/webhook-endpoint.entity.js';
import { insertLateDeliveries, type LateDelivery } from '../deliveries/new-deliveries.sql.js';
import { advanceLateLanes, holdLateLanes } from '../deliveries/lanes.sql.js';
import { lockLiveEndpoints, type LiveEndpoint } from './lock-live-endpoints.sql.js';
import { countMissingEvents, findMissingEvents, type MissingEvent, type MissingEvents } from './missing-events.sql.js';
import { lateAdvances, planLateDeliveries, streamOf } from './plan-late-deliveries.js';

const COUNTED_AT_ONCE = 200;

/**
 * Delivers events that an endpoint never received: published while it was disabled, did not exist or was not
 * subscribed. Its current subscriptions decide.
 */
@Injectable()
export class MissingReplay implements OperationWork {
  constructor(
    private readonly config: EventBusConfig,
    private readonly subscriptions: SubscriptionJudge,
  ) {}

  async count(em: EntityManager, scope: OperationScope, { limit, until }: CountBounds): Promise<number> {
    const endpoint = await em.findOneOrFail(
      WebhookEndpointEntity,
      { endpointId: scope.endpointId },
      { filters: false },
    );
    const missing = this.missingOf(endpoint, scope);
    const candidates = await countMissingEvents(em.getKysely(), missing, limit);
    return missing.typesToRead.length === 0 || candidates >= limit
      ? candidates
      : this.countWanted(em.getKysely(), endpoint, missing, until);
  }

  async batch(trx: Kysely<unknown>, operation: ClaimedOperation, limit: number): Promise<Batch> {
    const endpoint = (await lockLiveEndpoints(trx, [operation.endpointId!])).get(operation.endpointId!);
    if (!endpoint) {
      return { done: 0, next: null, stop: 'the endpoint was deleted' };
    }
    const events = await findMissingEvents(trx, this.missingOf(endpoint, operation), {
      after: operation.cursor,
      limit,
    });
    const wanted = await this.wantedOf(endpoint, events);
    const done = wanted.length > 0 ? await this.deliver(trx, operation, endpoint, wanted) : 0;
    return { done, next: events.length === limit ? cursorAt(events.at(-1)!) : null };
  }

  private async countWanted(
    db: Kysely<unknown>,
    endpoint: Subscriber,
    missing: MissingEvents,
    until: number,
  ): Promise<number> {
    let count = 0;
    let events: MissingEvent[] = [];
    do {
      if (performance.now() > until) {
        throw new CountTookTooLong();
      }
      const last = events.at(-1);
      const after: Cursor | null = last ? cursorAt(last) : null;
      events = await findMissingEvents(db, missing, { after, limit: COUNTED_AT_ONCE });
      count += (await this.wantedOf(endpoint, events)).length;
    } while (events.length === COUNTED_AT_ONCE);
    return count;
  }

  private async wantedOf(endpoint: Subscriber, events: readonly MissingEvent[]): Promise<MissingEvent[]> {
    const wanted: MissingEvent[] = [];
    const turns = new LoopTurns();
    for (const event of events) {
      if (turns.isDue) {
        await turns.next();
      }
      const judged = new JudgedEvent(event.type, event.payloadJson);
      if ((await this.subscriptions.judge(endpoint, judged, turns)).isMatch) {
        wanted.push(event);
      }
    }
    return wanted;
  }

  /** Locks lanes before deliveries, in the same order as routers. */
  private async deliver(
    trx: Kysely<unknown>,
    operation: ClaimedOperation,
    endpoint: LiveEndpoint,
    events: readonly MissingEvent[],
  ): Promise<number> {
    const streams = endpoint.ordering === 'stream' ? streamsOf(events) : [];
    const lanes = streams.length > 0 ? await holdLateLanes(trx, endpoint.endpointId, streams) : [];
    const planned = planLateDeliveries(events, lanes, endpoint);
    const insertedIds = await insertLateDeliveries(trx, planned);
    const inserted = planned.filter(({ deliveryId }) => insertedIds.has(deliveryId));
    await advanceLateLanes(trx, lateAdvances(inserted));
    await appendEntries(
      trx,
      inserted.map((delivery) => lateEntry(operation, delivery)),
    );
    return inserted.length;
  }

  private missingOf(
    { endpointId, tenantId, subscribedTypes, subscriptions }: Subscriber & { tenantId: string },
    { filter, orderedAt }: OperationScope,
  ): MissingEvents {
    return {
      endpointId,
      tenantId: tenantId === ALL_TENANTS ? undefined : tenantId,
      types: subscribedTypes,
      typesToRead: [...new Set(subscriptions.map(({ type }) => type))],
      since: filter.since!,
      orderedAt,
      publishedDays: this.config.retention.publishedDays,
    };
  }
}

function cursorAt({ createdAt, eventId }: MissingEvent): Cursor {
  return { at: createdAt, id: eventId };
}

function streamsOf(events: readonly MissingEvent[]) {
  const sequenced = events.filter(({ streamSequence }) => streamSequence !== null);
  return [...new Map(sequenced.map((event) => [streamOf(event), event])).values()];
}

function lateEntry({ operationId, actor, reason }: ClaimedOperation, delivery: LateDelivery) {
  const { deliveryId, tenantId, endpointId, eventId, eventType, traceId } = delivery;
  const facts = { deliveryId, tenantId, endpointId, eventId, eventType, traceId };
  return ledgerEntry({ kind: 'routed-late', actor, reason, ...facts, detail: { operationId } });
}
