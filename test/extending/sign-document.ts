import { EventPublisher, newEventId, type DomainEvent } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** A fact in the language of the domain. */
export class DocumentSigned implements DomainEvent {
  readonly eventId = newEventId();
  readonly aggregateType = 'Document';
  readonly eventType = 'document.signed.v1';
  readonly occurredAt = new Date();
  readonly payload: Record<string, unknown>;

  constructor(
    readonly tenantId: string,
    readonly aggregateId: string,
    pages: number,
  ) {
    this.payload = { documentId: aggregateId, pages };
  }
}

/** A use case depends only on the port. State and event commit together. */
@Injectable()
export class SignDocument {
  constructor(
    private readonly em: EntityManager,
    private readonly events: EventPublisher,
  ) {}

  async execute(tenantId: string, documentId: string, pages: number): Promise<void> {
    await this.em.transactional(async (em) => {
      await em.execute('insert into signed_document (document_id, pages) values (?, ?)', [documentId, pages]);
      await this.events.publish(new DocumentSigned(tenantId, documentId, pages));
    });
  }
}
