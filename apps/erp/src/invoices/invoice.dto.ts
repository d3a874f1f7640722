import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import type { Invoice } from './invoice.entity.js';
import { Customer, InvoiceLine, Note, Region } from './invoice.events.js';

const Lines = z
  .array(InvoiceLine)
  .min(1)
  .max(1000)
  .refine((lines) => Number.isSafeInteger(sumOf(lines)), 'add up to more than a safe integer');

export class CreateInvoiceDto extends createZodDto(
  z.strictObject({
    tenantId: z.guid(),
    customer: Customer,
    lines: Lines,
    region: Region.optional(),
    actorId: z.guid().optional(),
    /** Demo mode only: fails the transaction after everything is written. */
    simulateFailure: z.boolean().optional(),
  }),
) {}

export class UpdateInvoiceDto extends createZodDto(
  z
    .strictObject({ note: Note.optional(), region: Region.optional() })
    .refine(({ note, region }) => note !== undefined || region !== undefined, 'give note, region or both'),
) {}

export class PostInvoiceDto extends createZodDto(z.strictObject({})) {}

export class InvoiceParamsDto extends createZodDto(z.strictObject({ id: z.guid() })) {}

export class ListInvoicesDto extends createZodDto(
  z.strictObject({
    tenantId: z.guid(),
    limit: z.coerce.number({ error: 'give one whole number from 1 to 200' }).int().min(1).max(200).default(50),
    cursor: z.guid().optional(),
  }),
) {}

export class InvoiceDto extends createZodDto(
  z.object({
    invoiceId: z.guid(),
    tenantId: z.guid(),
    customer: Customer,
    lines: z.array(InvoiceLine),
    region: z.string().nullable(),
    note: z.string().nullable(),
    totalCents: z.int(),
    status: z.enum(['draft', 'posted']),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }),
) {}

export class InvoiceListDto extends createZodDto(
  z.object({ items: z.array(InvoiceDto.schema), nextCursor: z.guid().nullable() }),
) {}

export function sumOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((total, { amountCents }) => total + amountCents, 0);
}

export function toInvoiceDto(invoice: Invoice): InvoiceDto {
  return {
    invoiceId: invoice.invoiceId,
    tenantId: invoice.tenantId,
    customer: invoice.customer,
    lines: invoice.lines,
    region: invoice.region ?? null,
    note: invoice.note ?? null,
    totalCents: invoice.totalCents,
    status: invoice.status,
    createdAt: invoice.createdAt.toISOString(),
    updatedAt: invoice.updatedAt.toISOString(),
  };
}
