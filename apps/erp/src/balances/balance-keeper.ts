import { EventHandler, type HandledEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { addToBalance } from './add-to-balance.sql.js';

/** Keeps the tenants' balances. Depends on the event and not on the module that posts invoices. */
@Injectable()
export class BalanceKeeper {
  @EventHandler({ name: 'erp.balance', types: ['posting.created.v1'] })
  async add({ tenantId, payload }: HandledEvent, em: EntityManager): Promise<void> {
    await addToBalance(em.getKysely(), tenantId, payload.totalCents as number);
  }
}
