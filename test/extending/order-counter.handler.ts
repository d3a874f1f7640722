import { EventHandler, type HandledEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Counts orders per tenant: each once, even if the event is delivered again. */
@Injectable()
export class OrderCounter {
  @EventHandler({ name: 'orders.counter', types: ['order.placed.v1'] })
  async count({ tenantId }: HandledEvent, em: EntityManager): Promise<void> {
    await em.execute(
      `insert into order_count (tenant_id, orders) values (?, 1)
       on conflict (tenant_id) do update set orders = order_count.orders + 1`,
      [tenantId],
    );
  }
}
