import { Module, type DynamicModule } from '@nestjs/common';
import { EventBus, type IEvent } from '@nestjs/cqrs';
import type { PublishableEvent } from '../envelope/publishable-event.js';
import { OutboxService } from '../outbox/outbox.service.js';
import { OutboxPublisher } from './outbox-publisher.js';

export interface EventBusCqrsOptions {
  /** Maps an integration event to the event to publish; undefined for events that stay in the process. */
  toOutbox: (event: IEvent) => PublishableEvent | undefined;
}

/**
 * Sends integration events of `@nestjs/cqrs` through the outbox. Needs `CqrsModule.forRoot()` and `EventBusModule`.
 *
 * ```ts
 * EventBusCqrsModule.forRoot({
 *   toOutbox: (event) => (event instanceof InvoiceCreatedEvent ? InvoiceCreated.of(event) : undefined),
 * });
 * ```
 */
@Module({})
export class EventBusCqrsModule {
  static forRoot({ toOutbox }: EventBusCqrsOptions): DynamicModule {
    return {
      module: EventBusCqrsModule,
      providers: [
        {
          provide: OutboxPublisher,
          inject: [EventBus, OutboxService],
          useFactory: (bus: EventBus, outbox: OutboxService) => new OutboxPublisher(bus, outbox, toOutbox),
        },
      ],
    };
  }
}
