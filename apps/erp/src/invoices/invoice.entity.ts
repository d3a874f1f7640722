import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Customer, InvoiceLine } from './invoice.events.js';

export type InvoiceStatus = 'draft' | 'posted';

export const InvoiceEntity = defineEntity({
  name: 'Invoice',
  tableName: 'erp_invoice',
  indexes: [{ name: 'erp_invoice_tenant_idx', properties: ['tenantId', 'invoiceId'] }],
  checks: [{ name: 'erp_invoice_status_check', expression: "status in ('draft', 'posted')" }],
  properties: {
    invoiceId: p.uuid().primary(),
    tenantId: p.uuid(),
    customer: p.json<Customer>(),
    lines: p.json<InvoiceLine[]>(),
    region: p.text().nullable(),
    note: p.text().nullable(),
    totalCents: p.bigint('number'),
    status: p.text().$type<InvoiceStatus>().default('draft'),
    createdAt: p.datetime().columnType('timestamptz'),
    updatedAt: p.datetime().columnType('timestamptz'),
  },
});
export type Invoice = InferEntity<typeof InvoiceEntity>;
