import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What a tenant has invoiced and posted so far. */
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
