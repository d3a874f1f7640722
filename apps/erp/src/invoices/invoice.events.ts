import { defineEvent } from '@kernel/eventbus';
import { z } from 'zod';

/** Text that PostgreSQL can store: no NUL, no unpaired surrogate. */
const text = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'contains a character that cannot be stored');

export const Customer = z.strictObject({
  name: text.max(200),
  email: z.email().max(320),
  taxId: text.max(64).optional(),
});
export type Customer = z.infer<typeof Customer>;

/** Cents may be zero or negative, for a discount or a credit. A description is limited only by the payload size. */
export const InvoiceLine = z.strictObject({ description: text, amountCents: z.int() });
export type InvoiceLine = z.infer<typeof InvoiceLine>;

export const Region = text.max(64);
export const Note = text.max(2000);

const InvoicePayload = z.strictObject({
  invoiceId: z.guid(),
  customer: Customer,
  lines: z.array(InvoiceLine),
  region: Region.optional(),
  note: Note.optional(),
  totalCents: z.int(),
  status: z.enum(['draft', 'posted']),
});

const PostingPayload = z.strictObject({
  postingId: z.guid(),
  invoiceId: z.guid(),
  region: Region.optional(),
  totalCents: z.int(),
  postedAt: z.iso.datetime(),
});

export const InvoiceCreated = defineEvent({ type: 'invoice.created.v1', schema: InvoicePayload });
export const InvoiceUpdated = defineEvent({ type: 'invoice.updated.v1', schema: InvoicePayload });
export const InvoicePosted = defineEvent({ type: 'invoice.posted.v1', schema: PostingPayload });
export const PostingCreated = defineEvent({ type: 'posting.created.v1', schema: PostingPayload });

export const erpEvents = [InvoiceCreated, InvoiceUpdated, InvoicePosted, PostingCreated];
