import type { Provider } from '@nestjs/common';
import { TransactionOutbox } from './transaction-outbox.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { OutboxService } from './outbox.service.js';
import { OutboxRepository } from './outbox-repository.js';
import { CorrelationIdProvider } from './domain-events/correlation-id-provider.js';
import { EventPublisher } from './domain-events/event-publisher.js';
import { OutboxEventPublisher } from './domain-events/outbox-event-publisher.js';

export const outboxProviders: Provider[] = [
  TransactionOutbox,
  IdempotencyKeys,
  OutboxService,
  OutboxRepository,
  CorrelationIdProvider,
  { provide: EventPublisher, useClass: OutboxEventPublisher },
];
