export { EventBusModule } from './eventbus.module.js';
export type { EventBusAsyncOptions } from './eventbus.module-definition.js';
export {
  EventBusConfig,
  type DeduplicationScope,
  type EventBusOptions,
  type EventBusRole,
} from './eventbus.options.js';
export { eventBusEntities } from './eventbus.entities.js';
export { kernelMigrations } from '@kernel/migrations';
export { migrate } from './runtime/migrate.js';
export {
  BroadcastLateError,
  DispatcherConfigurationError,
  DuplicateEventDefinitionError,
  DuplicateEventIdError,
  EventBusError,
  EventIdReusedError,
  EventsNotWrittenError,
  HandlerConfigurationError,
  IdempotencyConflictError,
  IdempotencyKeyRequiredError,
  InvalidEventError,
  InvalidOptionsError,
  KernelTablesMissingError,
  MisclassifiedEventError,
  OutboxTransactionRequiredError,
  PayloadTooLargeError,
  RetryableTransactionError,
  TraceIdRequiredError,
  TransactionAlreadyWrittenError,
  UnknownEventError,
  UntrackedTransactionError,
} from './eventbus.errors.js';
export { EventEnvelope } from './envelope/event-envelope.js';
export { WebhookEndpoint } from './endpoints/webhook-endpoint.js';
export { Predicate, Subscription, type PredicateOperator } from './endpoints/subscription.js';
export { DeliveryStatus, WebhookDelivery } from './deliveries/webhook-delivery.js';
export { defineEvent, type EventDefinition } from './envelope/define-event.js';
export type { EventPrivacy } from '@kernel/privacy';
export { EnvFileSecretsProvider, SecretsProvider } from '@kernel/secrets';
export type {
  Destination,
  HandedDelivery,
  Handoff,
  HandoffResult,
  SendRequest,
  WebhookDispatcher,
} from './dispatch/webhook-dispatcher.js';
export { HttpDispatcher, HTTP_DISPATCHER } from './dispatch/http-dispatcher.js';
export { QueuedDispatcher, type QueueOptions } from './dispatch/queued-dispatcher.js';
export type { BroadcastMiddleware, BroadcastResult } from './dispatch/broadcast-middleware.js';
export type { EndpointInvocation, EndpointInvokerMiddleware } from './dispatch/endpoint-invoker-middleware.js';
export { headersForBroker } from './dispatch/headers-for-broker.js';
export { InvocationDeferredError } from './dispatch/invocation-deferred.error.js';
export {
  EventHandler,
  type EventHandlerOptions,
  type HandledEvent,
} from './dispatch/handlers/event-handler.decorator.js';
export { HandlerRefusedError } from './dispatch/handlers/handler-refused.error.js';
export { backoffMs, type BackoffStrategy } from './judgement/backoff.js';
export type { TransientDetection } from './judgement/judge-attempt.js';
export type { OutgoingHttp, OutgoingRequest, OutgoingResult } from '@kernel/outgoing-http';
export { createOutgoingHttp, type OutgoingHttpOptions } from '@kernel/outgoing-http';
export { DnsOptionsSchema, type DnsOptions } from '@kernel/outgoing-http';
export { OutboxService, type PublishOptions } from './outbox/outbox.service.js';
export type { PublishedEvent } from './outbox/to-envelope.js';
export type { PublishableEvent } from './outbox/publishable-event.js';
export { OutboxRepository, type AggregateQuery } from './outbox/outbox-repository.js';
export { OutboxEventEntity, type OutboxEvent } from './outbox/outbox-event.entity.js';
export { DEFAULT_EVENT_VERSION, type DomainEvent } from './outbox/domain-events/domain-event.js';
export { EventPublisher } from './outbox/domain-events/event-publisher.js';
export { CorrelationIdProvider } from './outbox/domain-events/correlation-id-provider.js';
export { newId as newEventId } from '@kernel/runtime';
export type { FieldSelector } from './endpoints/subscriptions/field-selector.js';
export { JsonPathSelector } from './endpoints/subscriptions/json-path-selector.js';
export type { ComparisonOperator, ValueComparer } from './endpoints/subscriptions/value-comparer.js';
export { ScalarComparer } from './endpoints/subscriptions/scalar-comparer.js';
export { WebhookEndpointEntity } from './endpoints/webhook-endpoint.entity.js';
export { judgeAttempt, type JudgeAttempt, type JudgeContext, type Outcome } from './judgement/judge-attempt.js';
export { WebhookDeliveryEntity } from './deliveries/webhook-delivery.entity.js';
export { LedgerEntryEntity } from '@kernel/ledger';
export { LedgerKind, ledgerEntry, type LedgerEntry } from '@kernel/ledger';
export { appendEntries } from '@kernel/ledger';
export { LedgerSealer } from '@kernel/ledger';
export { LedgerVerifier } from '@kernel/ledger';
export { LedgerExporter } from '@kernel/ledger';
export { SealKey } from '@kernel/ledger';
export type { BrokenPlace, LedgerVerification, SealAnchor } from '@kernel/ledger';
export { ReplayService, type ReplayRequest, type ReplayResult } from './replay/replay.service.js';
export {
  OperationService,
  type CancelResult,
  type CountResult,
  type StartResult,
} from './replay/operations/operation.service.js';
export { OperationEntity } from './replay/operations/operation.entity.js';
export {
  OperationKind,
  OperationState,
  type OperationRequest,
  type ReplayFilter,
} from './replay/operations/operation.js';
export { LedgerChainStatus } from '@kernel/ledger';
export { StageHooks, STAGES, type Stage } from './runtime/stage-hooks.js';
export { Clock } from '@kernel/runtime';
export { Random } from '@kernel/runtime';
export { faultOf, type Fault } from '@kernel/runtime';
export { currentTraceId, newTraceId, runWithTrace } from './trace/trace-context.js';
