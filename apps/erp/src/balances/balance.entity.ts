import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Total of a tenant's posted invoices. */
export const BalanceEntity = defineEntity({
  name: 'Balance',
  tableName: 'erp_balance',
  properties: {
    tenantId: p.uuid().primary(),
    balanceCents: p.bigint('number'),
    postings: p.integer(),
  },
});
export type Balance = InferEntity<typeof BalanceEntity>;
