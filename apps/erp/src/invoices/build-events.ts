import type { EventInput, PublishableEvent } from '@kernel/eventbus';
import type { Invoice } from './invoice.entity.js';
import { InvoicePosted, PostingCreated, type InvoiceCreated, type InvoiceUpdated } from './invoice.events.js';
import type { Posting } from './posting.entity.js';

export function invoiceCreated(invoice: Invoice, actorId?: string): EventInput<typeof InvoiceCreated> {
  return { ...about(invoice), actorId, payload: invoicePayload(invoice) };
}

export function invoiceUpdated(invoice: Invoice): EventInput<typeof InvoiceUpdated> {
  return { ...about(invoice), payload: invoicePayload(invoice) };
}

/** The posting comes before its invoice, so a consumer of the stream never sees a posted invoice without a posting. */
export function invoicePosted(invoice: Invoice, posting: Posting): PublishableEvent[] {
  const payload = {
    postingId: posting.postingId,
    invoiceId: invoice.invoiceId,
    ...(invoice.region && { region: invoice.region }),
    totalCents: posting.totalCents,
    postedAt: posting.postedAt.toISOString(),
  };
  return [PostingCreated, InvoicePosted].map((event) => event.of({ ...about(invoice), payload }));
}

function about({ tenantId, invoiceId }: Invoice) {
  return { tenantId, streamKey: `invoice:${invoiceId}`, aggregateType: 'invoice', aggregateId: invoiceId };
}

function invoicePayload({ invoiceId, customer, lines, region, note, totalCents, status }: Invoice) {
  return { invoiceId, customer, lines, ...(region && { region }), ...(note && { note }), totalCents, status };
}
