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
export { WebhookEndpoint } from './envelope/webhook-endpoint.js';
export { Predicate, Subscription, type PredicateOperator } from './envelope/subscription.js';
export { DeliveryStatus, WebhookDelivery } from './envelope/webhook-delivery.js';
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
export { EventHandler, type EventHandlerOptions, type HandledEvent } from './handlers/event-handler.decorator.js';
export { HandlerRefusedError } from './handlers/handler-refused.error.js';
export { backoffMs, type BackoffStrategy } from './delivery/backoff.js';
export type { TransientDetection } from './delivery/judge-attempt.js';
export type { OutgoingHttp, OutgoingRequest, OutgoingResult } from './outgoing/outgoing-http.js';
export { createOutgoingHttp, type OutgoingHttpOptions } from './outgoing/create-outgoing-http.js';
export { DnsOptionsSchema, type DnsOptions } from './outgoing/dns.options.js';

export { OutboxService, type PublishOptions } from './outbox/outbox.service.js';
export type { PublishedEvent } from './outbox/to-envelope.js';
export type { PublishableEvent } from './outbox/publishable-event.js';
export { OutboxRepository, type AggregateQuery } from './outbox/outbox-repository.js';
export { OutboxEventEntity, type OutboxEvent } from './outbox/outbox-event.entity.js';

export { DEFAULT_EVENT_VERSION, type DomainEvent } from './domain-events/domain-event.js';
export { EventPublisher } from './domain-events/event-publisher.js';
export { CorrelationIdProvider } from './domain-events/correlation-id-provider.js';
export { newId as newEventId } from './runtime/new-id.js';

export type { FieldSelector } from './routing/field-selector.js';
export { JsonPathSelector } from './routing/json-path-selector.js';
export type { ComparisonOperator, ValueComparer } from './routing/value-comparer.js';
export { ScalarComparer } from './routing/scalar-comparer.js';
export { WebhookEndpointEntity } from './routing/webhook-endpoint.entity.js';
export { judgeAttempt, type JudgeAttempt, type JudgeContext, type Outcome } from './delivery/judge-attempt.js';
export { WebhookDeliveryEntity } from './deliveries/webhook-delivery.entity.js';
export { LedgerEntryEntity } from './audit/ledger-entry.entity.js';
export { LedgerKind, ledgerEntry, type LedgerEntry } from './audit/ledger-entry.js';
export { appendEntries } from './audit/append-entries.sql.js';
export { LedgerSealer } from './audit/sealing/ledger-sealer.js';
export { LedgerVerifier } from './audit/sealing/ledger-verifier.js';
export { LedgerExporter } from './audit/sealing/ledger-exporter.js';
export { SealKey } from './audit/sealing/seal-key.js';
export type { BrokenPlace, LedgerVerification, SealAnchor } from './audit/sealing/verification.js';
export { ReplayService, type ReplayRequest, type ReplayResult } from './replay/replay.service.js';
export { OperationDesk, type CancelResult, type CountResult, type OrderResult } from './operations/operation-desk.js';
export { OperationEntity } from './operations/operation.entity.js';
export { OperationKind, OperationState, type OperationOrder, type ReplayFilter } from './operations/operation.js';

export { EventBusAdminModule } from './admin/eventbus-admin.module.js';
export { OneTimeCode } from './admin/session/one-time-code.js';
export { EventBusHealthModule } from './health/eventbus-health.module.js';
export { EventBusMetricsModule } from './metrics/eventbus-metrics.module.js';
export type { EventBusMetricsOptions } from './metrics/metrics.options.js';
export { LedgerChainStatus } from './metrics/ledger-chain-status.js';

export { ProblemFilter } from './http/problem.filter.js';
export { isOtherThanJson } from './http/body-type.js';
export { jsonBody } from './http/json-body.js';
export { securityHeaders } from './http/security-headers.js';
export { ProblemException, problems } from './http/problem.exception.js';
export { Problem } from './http/problem.js';

export { StageHooks, STAGES, type Stage } from './runtime/stage-hooks.js';
export { Clock } from './runtime/clock.js';
export { Chance } from './runtime/chance.js';
export { faultOf, type Fault } from './runtime/fault.js';
export { currentTraceId, newTraceId, runWithTrace } from './runtime/trace-context.js';
