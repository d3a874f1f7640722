import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A posted invoice. One per invoice, never changed. */
export const PostingEntity = defineEntity({
  name: 'Posting',
  tableName: 'erp_posting',
  uniques: [{ name: 'erp_posting_invoice_key', properties: ['invoiceId'] }],
  properties: {
    postingId: p.uuid().primary(),
    tenantId: p.uuid(),
    invoiceId: p.uuid(),
    totalCents: p.bigint('number'),
    postedAt: p.datetime().columnType('timestamptz'),
  },
});
export type Posting = InferEntity<typeof PostingEntity>;
