import { defineEntity, p, type EventSubscriber } from '@mikro-orm/core';
import { Transactional } from '@mikro-orm/decorators/legacy';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { OutboxService } from '../../src/outbox/outbox.service.js';
import type { Kysely } from 'kysely';
import { order } from './publisher.js';

export const Order = defineEntity({
  name: 'Order',
  tableName: 'test_order',
  properties: { id: p.uuid().primary(), note: p.text() },
});

@Injectable()
export class OrderService {
  constructor(
    // The decorator looks for a property named `orm` or `em`.
    readonly orm: MikroORM,
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  @Transactional()
  async place(eventId: string, meanwhile: () => Promise<unknown>): Promise<void> {
    this.em.persist(this.em.create(Order, { id: eventId, note: '' }));
    await this.outbox.publish(order(eventId));
    await meanwhile();
  }
}

/** Runs at the beginning of the next commit, after the outbox. */
export class AtCommit implements EventSubscriber {
  next: ((trx: Kysely<unknown>) => Promise<unknown>) | undefined;
  readonly committed: unknown[] = [];

  async beforeTransactionCommit({ transaction }: { transaction?: object }): Promise<void> {
    const act = this.next;
    this.next = undefined;
    await act?.(transaction as Kysely<unknown>);
  }

  afterTransactionCommit({ transaction }: { transaction?: object }): void {
    if (!('savepointName' in transaction!)) {
      this.committed.push(transaction);
    }
  }
}

/** Publishes an event for every inserted order, inside the transaction of the flush. */
export class PublishOnCreate implements EventSubscriber {
  outbox: OutboxService | undefined;
  meanwhile: () => Promise<unknown> = async () => undefined;

  getSubscribedEntities() {
    return [Order];
  }

  async afterCreate({ em, entity }: { em: unknown; entity: { id: string } }): Promise<void> {
    await this.outbox?.publish(order(entity.id), { em: em as EntityManager });
    await (this.outbox && this.meanwhile());
  }
}
