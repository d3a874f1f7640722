/** The public names for hosts and dispatchers, in the order in which a host needs them. */

// Set up
export { EventBusModule } from './eventbus.module.js';
export type { EventBusAsyncOptions } from './eventbus.module-definition.js';
export type { EventBusOptions, EventBusRole } from './eventbus.options.js';
export { eventBusEntities } from './eventbus.entities.js';
export { withEventBus } from './with-event-bus.js';
export { kernelMigrations } from '@kernel/migrations';
export { migrate } from './runtime/migrate.js';
export { EnvFileSecretsProvider, SecretsProvider } from '@kernel/secrets';
export { EventBusError, InvalidOptionsError } from './eventbus.errors.js';

// Define events and publish them
export { defineEvent, type DefinedEvent, type EventDefinition, type EventInput } from './envelope/define-event.js';
export type { EventPrivacy } from '@kernel/privacy';
export { OutboxService, type PublishOptions } from './outbox/outbox.service.js';
export type { PgClient } from './outbox/client-transaction.js';
export type { PublishableEvent } from './envelope/publishable-event.js';
export type { PublishedEvent } from './outbox/to-envelope.js';
export { newId as newEventId } from '@kernel/runtime';
export {
  DuplicateEventIdError,
  EventIdReusedError,
  EventNotDeclaredError,
  EventsNotWrittenError,
  IdempotencyConflictError,
  IdempotencyKeyRequiredError,
  InvalidEventError,
  InvalidPublishOptionsError,
  MisclassifiedEventError,
  OutboxTransactionRequiredError,
  PayloadTooLargeError,
  RetryableTransactionError,
  TraceIdRequiredError,
  TransactionAlreadyWrittenError,
  UnknownEventError,
  UntrackedTransactionError,
} from './eventbus.errors.js';

// Publish domain events of aggregates, and read them back
export { CorrelationIdProvider } from './outbox/domain-events/correlation-id-provider.js';
export type { DomainEvent } from './outbox/domain-events/domain-event.js';
export { EventPublisher } from './outbox/domain-events/event-publisher.js';
export { OutboxRepository } from './outbox/outbox-repository.js';
export { OutboxEventEntity, type OutboxEvent } from './outbox/outbox-event.entity.js';

// Handle events in the process
export {
  EventHandler,
  type EventHandlerOptions,
  type HandledEvent,
} from './dispatch/handlers/event-handler.decorator.js';
export { HandlerRefusedError } from './dispatch/handlers/handler-refused.error.js';

// Endpoints and deliveries: schemas and rows
export { EventEnvelope } from './envelope/event-envelope.js';
export { Subscription } from './endpoints/subscription.js';
export { WebhookEndpoint } from './endpoints/webhook-endpoint.js';
export { WebhookEndpointEntity } from './endpoints/webhook-endpoint.entity.js';
export { DeliveryStatus, WebhookDelivery } from './deliveries/webhook-delivery.js';
export { WebhookDeliveryEntity } from './deliveries/webhook-delivery.entity.js';

// Evaluate predicates in another way
export type { FieldSelector } from './endpoints/subscriptions/field-selector.js';
export { JsonPathSelector } from './endpoints/subscriptions/json-path-selector.js';
export { ScalarComparer } from './endpoints/subscriptions/scalar-comparer.js';
export type { ComparisonOperator, ValueComparer } from './endpoints/subscriptions/value-comparer.js';

// Dispatch in another way
export type {
  Destination,
  HandedDelivery,
  Handoff,
  HandoffResult,
  DispatchedRequest,
  SendRequest,
  WebhookDispatcher,
} from './dispatch/webhook-dispatcher.js';
export { QueuedDispatcher, type QueueOptions } from './dispatch/queued-dispatcher.js';
export { headersForBroker } from './dispatch/headers-for-broker.js';
export { createOutgoingHttp, DnsOptionsSchema, splitUrl } from '@kernel/outgoing-http';
export type {
  DnsOptions,
  OutgoingHttp,
  OutgoingHttpOptions,
  OutgoingRequest,
  OutgoingResult,
} from '@kernel/outgoing-http';

// Add to the fan-out and to attempts
export type { BroadcastMiddleware, BroadcastResult } from './dispatch/broadcast-middleware.js';
export type { EndpointInvocation, EndpointInvokerMiddleware } from './dispatch/endpoint-invoker-middleware.js';
export { InvocationDeferredError } from './dispatch/invocation-deferred.error.js';

// Judge attempts in another way
export { backoffMs, type BackoffStrategy } from './judgement/backoff.js';
export {
  judgeAttempt,
  type JudgeAttempt,
  type JudgeContext,
  type Outcome,
  type TransientDetection,
} from './judgement/judge-attempt.js';

// Manage endpoints, send again, read the ledger
export type { Caller } from './access/caller.js';
export { type RefusalCode, RequestRefusedError } from './eventbus.refusals.js';
export type { Page } from './paging/page.js';
export { EndpointService } from './management/endpoints/endpoint.service.js';
export type { EndpointDetails, ShownEndpoint } from './management/endpoints/endpoint-details.js';
export type { EndpointWithSecret } from './management/endpoints/endpoint-requests.js';
export type { RotatedEndpointSecret } from './management/endpoints/endpoint-rotation.js';
export type { PingResult } from './management/endpoints/endpoint-pinger.js';
export { ReplayService, type OperationStarted } from './replay/replay.service.js';
export { LedgerReader } from './management/ledger/ledger-reader.js';
export type { LedgerRecord } from './management/ledger/ledger-record.js';

// Write to the ledger and verify it
export { appendEntries, ledgerEntry, LedgerKind, LedgerVerifier, SealKey } from '@kernel/ledger';
export type { LedgerEntry, LedgerVerification, SealAnchor } from '@kernel/ledger';

// Trace and log
export { currentTraceId, newTraceId, runWithTrace } from './trace/trace-context.js';
export { faultOf } from '@kernel/runtime';

// Replace in tests; receivers and a conformance suite for dispatchers are in @kernel/eventbus/testing
export { Clock, Random } from '@kernel/runtime';
