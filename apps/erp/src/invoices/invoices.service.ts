import { Clock, OutboxService } from '@kernel/eventbus';
import { problems } from '@kernel/http';
import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { invoiceCreated, invoicePosted, invoiceUpdated } from './build-events.js';
import { sumOf, type CreateInvoiceDto, type ListInvoicesDto, type UpdateInvoiceDto } from './invoice.dto.js';
import { InvoiceEntity, type Invoice } from './invoice.entity.js';
import { InvoiceCreated, InvoiceUpdated } from './invoice.events.js';
import { PostingEntity } from './posting.entity.js';
import { SimulatedFailure } from './simulated-failure.js';

/** Every change commits in one transaction with its events. */
@Injectable()
export class InvoicesService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly clock: Clock,
  ) {}

  create({ tenantId, customer, lines, region, actorId, simulateFailure }: CreateInvoiceDto): Promise<Invoice> {
    return this.em.transactional(async (em) => {
      const now = this.clock.now();
      const invoice = em.create(InvoiceEntity, {
        invoiceId: uuidv7(),
        tenantId: tenantId.toLowerCase(),
        customer,
        lines,
        region: region ?? null,
        note: null,
        totalCents: sumOf(lines),
        status: 'draft',
        createdAt: now,
        updatedAt: now,
      });
      em.persist(invoice);
      await this.outbox.publish(InvoiceCreated, invoiceCreated(invoice, actorId));
      if (simulateFailure) {
        await em.flush();
        throw new SimulatedFailure();
      }
      return invoice;
    });
  }

  update(invoiceId: string, { note, region }: UpdateInvoiceDto): Promise<Invoice> {
    return this.em.transactional(async (em) => {
      const invoice = await lockInvoice(em, invoiceId);
      invoice.note = note ?? invoice.note;
      invoice.region = region ?? invoice.region;
      invoice.updatedAt = this.clock.now();
      await this.outbox.publish(InvoiceUpdated, invoiceUpdated(invoice));
      return invoice;
    });
  }

  post(invoiceId: string): Promise<Invoice> {
    return this.em.transactional(async (em) => {
      const invoice = await lockInvoice(em, invoiceId);
      if (invoice.status === 'posted') {
        throw problems.conflict('the invoice is posted already');
      }
      const now = this.clock.now();
      invoice.status = 'posted';
      invoice.updatedAt = now;
      const { tenantId, totalCents } = invoice;
      const posting = em.create(PostingEntity, {
        postingId: uuidv7(),
        tenantId,
        invoiceId: invoice.invoiceId,
        totalCents,
        postedAt: now,
      });
      em.persist(posting);
      await this.outbox.publishAll(invoicePosted(invoice, posting));
      return invoice;
    });
  }

  /** Newest first, plus one row if there is a next page: invoice ids are ordered by time. */
  list({ tenantId, limit, cursor }: ListInvoicesDto): Promise<Invoice[]> {
    return this.em.find(
      InvoiceEntity,
      { tenantId, ...(cursor && { invoiceId: { $lt: cursor } }) },
      { orderBy: { invoiceId: 'desc' }, limit: limit + 1 },
    );
  }
}

async function lockInvoice(em: EntityManager, invoiceId: string): Promise<Invoice> {
  const invoice = await em.findOne(InvoiceEntity, { invoiceId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!invoice) {
    throw problems.notFound('invoice');
  }
  return invoice;
}
