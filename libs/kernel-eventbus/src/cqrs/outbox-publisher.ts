import type { OnModuleInit } from '@nestjs/common';
import type { AsyncContext, EventBus, IEvent, IEventPublisher } from '@nestjs/cqrs';
import type { PublishableEvent } from '../envelope/publishable-event.js';
import type { OutboxService } from '../outbox/outbox.service.js';

/**
 * The publisher of the CQRS event bus. `AggregateRoot.commit()` cannot be awaited, so the running transaction's commit
 * waits for the integration events, and fails if one is refused.
 */
export class OutboxPublisher implements IEventPublisher, OnModuleInit {
  #inProcess!: IEventPublisher;

  constructor(
    private readonly bus: EventBus,
    private readonly outbox: OutboxService,
    private readonly toOutbox: (event: IEvent) => PublishableEvent | undefined,
  ) {}

  onModuleInit(): void {
    this.#inProcess = this.bus.publisher;
    this.bus.publisher = this;
  }

  publish(event: IEvent, dispatcher?: unknown, context?: AsyncContext): void {
    this.publishAll([event], dispatcher, context);
  }

  /** The outbox is first: without a transaction it refuses, and no handler sees any of the events. */
  publishAll(events: IEvent[], dispatcher?: unknown, context?: AsyncContext): void {
    const mapped = events.map((event) => ({ event, outgoing: this.toOutbox(event) }));
    const outgoing = mapped.flatMap((one) => one.outgoing ?? []);
    if (outgoing.length > 0) {
      this.outbox.publishAtCommit(outgoing);
    }
    for (const { event } of mapped.filter((one) => !one.outgoing)) {
      // The default publisher has no publishAll.
      this.#inProcess.publish(event, dispatcher, context);
    }
  }
}
