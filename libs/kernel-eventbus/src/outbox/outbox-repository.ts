import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { UnknownEventError } from '../eventbus.errors.js';
import { findAggregateEvents } from './find-aggregate-events.sql.js';
import { OutboxEventEntity, type OutboxEvent } from './outbox-event.entity.js';

export interface AggregateQuery {
  tenantId: string;
  aggregateId: string;
  aggregateType?: string;
  /** Default 100, at most 1000. */
  limit?: number;
  /** The id of the last event of the page before. */
  after?: string;
}

const MOST = 1_000;

/** AC2: what the outbox holds, for reads. It sees what is committed; events are written by `OutboxService` alone. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly em: EntityManager) {}

  /**
   * In the order in which they were created; of a stream, in the order of its numbers.
   * @throws {UnknownEventError} when `after` is no event of the aggregate
   */
  async findByAggregate(query: AggregateQuery): Promise<OutboxEvent[]> {
    const { tenantId, aggregateId, aggregateType, limit = 100, after } = query;
    const em = this.em.fork();
    if (after !== undefined && !(await em.count(OutboxEventEntity, { eventId: after, tenantId, aggregateId }))) {
      throw new UnknownEventError(after);
    }
    const page = { tenantId, aggregateId, aggregateType, after, limit: Math.min(limit, MOST) };
    const eventIds = await findAggregateEvents(em.getKysely(), page);
    const events = await em.find(OutboxEventEntity, { eventId: eventIds });
    const found = new Map(events.map((event) => [event.eventId, event]));
    return eventIds.flatMap((eventId) => found.get(eventId) ?? []);
  }

  /** Those that wait to be routed, oldest first. */
  findPending({ tenantId, limit = 100 }: { tenantId?: string; limit?: number } = {}): Promise<OutboxEvent[]> {
    return this.em
      .fork()
      .find(
        OutboxEventEntity,
        { status: 'PENDING', ...(tenantId && { tenantId }) },
        { orderBy: { createdAt: 'asc', eventId: 'asc' }, limit: Math.min(limit, MOST) },
      );
  }

  countPending({ tenantId }: { tenantId?: string } = {}): Promise<number> {
    return this.em.fork().count(OutboxEventEntity, { status: 'PENDING', ...(tenantId && { tenantId }) });
  }
}
