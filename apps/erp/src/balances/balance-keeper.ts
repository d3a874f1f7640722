import { EventHandler, type HandledEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PostingCreated } from '../invoices/invoice.events.js';
import { addToBalance } from './add-to-balance.sql.js';

/** Keeps the tenants' balances. Depends on the event and not on the module that posts invoices. */
@Injectable()
export class BalanceKeeper {
  @EventHandler(PostingCreated, { name: 'erp.balance' })
  async add({ tenantId, payload }: HandledEvent<typeof PostingCreated>, em: EntityManager): Promise<void> {
    await addToBalance(em.getKysely(), tenantId, payload.totalCents);
  }
}
