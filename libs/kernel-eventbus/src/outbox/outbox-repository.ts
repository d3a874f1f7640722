import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { OutboxEventEntity, type OutboxEvent } from './outbox-event.entity.js';

export interface AggregateQuery {
  tenantId: string;
  aggregateId: string;
  aggregateType?: string;
}

const MOST_PENDING = 1_000;

/** AC2: what the outbox holds, for reads. It sees what is committed; events are written by `OutboxService` alone. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly em: EntityManager) {}

  /** In the order in which they were created; of a stream, in the order of its numbers. */
  findByAggregate({ tenantId, aggregateId, aggregateType }: AggregateQuery): Promise<OutboxEvent[]> {
    return this.em
      .fork()
      .find(
        OutboxEventEntity,
        { tenantId, aggregateId, ...(aggregateType && { aggregateType }) },
        { orderBy: { createdAt: 'asc', streamSequence: 'asc', eventId: 'asc' } },
      );
  }

  /** Those that wait to be routed, oldest first. */
  findPending({ tenantId, limit = 100 }: { tenantId?: string; limit?: number } = {}): Promise<OutboxEvent[]> {
    return this.em
      .fork()
      .find(
        OutboxEventEntity,
        { status: 'PENDING', ...(tenantId && { tenantId }) },
        { orderBy: { createdAt: 'asc', eventId: 'asc' }, limit: Math.min(limit, MOST_PENDING) },
      );
  }

  countPending({ tenantId }: { tenantId?: string } = {}): Promise<number> {
    return this.em.fork().count(OutboxEventEntity, { status: 'PENDING', ...(tenantId && { tenantId }) });
  }
}
