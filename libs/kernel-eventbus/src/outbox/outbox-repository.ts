import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { UnknownEventError } from '../eventbus.errors.js';
import { findAggregateEvents } from './events.sql.js';
import { OutboxEventEntity, type OutboxEvent } from './outbox-event.entity.js';

export interface AggregateQuery {
  tenantId: string;
  aggregateId: string;
  aggregateType?: string;
  /** Default 100, at most 1000. */
  limit?: number;
  /** The id of the last event of the previous page. */
  after?: string;
}

const MOST = 1_000;

/** AC2: reads committed events of the outbox. Only `OutboxService` writes them. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly em: EntityManager) {}

  /**
   * In creation order; within a stream, in sequence order.
   * @throws {UnknownEventError} when `after` is not an event of the aggregate
   */
  async findByAggregate(query: AggregateQuery): Promise<OutboxEvent[]> {
    const { tenantId, aggregateId, aggregateType, limit = 100, after } = query;
    const em = this.em.fork();
    if (
      after !== undefined &&
      !(await em.count(OutboxEventEntity, { eventId: after, tenantId, aggregateId }, { filters: false }))
    ) {
      throw new UnknownEventError(after);
    }
    const page = { tenantId, aggregateId, aggregateType, after, limit: Math.min(limit, MOST) };
    const eventIds = await findAggregateEvents(em.getKysely(), page);
    const events = await em.find(OutboxEventEntity, { eventId: eventIds }, { filters: false });
    const found = new Map(events.map((event) => [event.eventId, event]));
    return eventIds.flatMap((eventId) => found.get(eventId) ?? []);
  }

  /** Events that are not routed yet, oldest first. */
  findPending({ tenantId, limit = 100 }: { tenantId?: string; limit?: number } = {}): Promise<OutboxEvent[]> {
    return this.em
      .fork()
      .find(
        OutboxEventEntity,
        { status: 'PENDING', ...(tenantId && { tenantId }) },
        { filters: false, orderBy: { createdAt: 'asc', eventId: 'asc' }, limit: Math.min(limit, MOST) },
      );
  }

  countPending({ tenantId }: { tenantId?: string } = {}): Promise<number> {
    return this.em
      .fork()
      .count(OutboxEventEntity, { status: 'PENDING', ...(tenantId && { tenantId }) }, { filters: false });
  }
}
