import { Injectable } from '@nestjs/common';
import { OutboxService } from '../outbox.service.js';
import type { PublishableEvent } from '../../envelope/publishable-event.js';
import { CorrelationIdProvider } from './correlation-id-provider.js';
import { DEFAULT_EVENT_VERSION, type DomainEvent } from './domain-event.js';
import { EventPublisher } from './event-publisher.js';

/**
 * AC4: adapts the port to the outbox. An aggregate's events form one stream, `<aggregateType>:<aggregateId>`, so that
 * they can be delivered in commit order; the version is stored in the attributes.
 */
@Injectable()
export class OutboxEventPublisher extends EventPublisher {
  constructor(
    private readonly outbox: OutboxService,
    private readonly correlation: CorrelationIdProvider,
  ) {
    super();
  }

  override publish(event: DomainEvent): Promise<void> {
    return this.publishAll([event]);
  }

  override async publishAll(events: readonly DomainEvent[]): Promise<void> {
    await this.outbox.publishAll(events.map((event) => this.toPublishable(event)));
  }

  private toPublishable(event: DomainEvent): PublishableEvent {
    const { aggregateType, aggregateId, version = DEFAULT_EVENT_VERSION } = event;
    return {
      eventId: event.eventId,
      tenantId: event.tenantId,
      type: event.eventType,
      streamKey: `${aggregateType}:${aggregateId}`,
      occurredAt: event.occurredAt,
      traceId: event.correlationId ?? this.correlation.current(),
      actorId: event.actorId,
      aggregateType,
      aggregateId,
      payload: event.payload,
      attributes: { ...event.attributes, version },
      idempotencyKey: event.idempotencyKey,
    };
  }
}
