/** For the packages released with this one, and for tests: names that may change with every version. */

// Configuration and test access
export { EventBusConfig, resolveConfig } from './eventbus.config.js';
export { KernelEntities } from './runtime/kernel-entities.js';
export { kernelOrmProviders } from './runtime/orm-context.js';
export { findPendingMigrations } from './runtime/pending-migrations.js';
export { StageHooks, STAGES, type Stage } from './runtime/stage-hooks.js';
export { type EndpointChange, WakeUp } from './runtime/wake-up.js';

// Lists of invalid fields, for the packages that do not depend on @kernel/runtime
export { describeIssues, listIssues } from '@kernel/runtime';

// Envelope
export { isStorableText } from './envelope/canonical-json.js';
export { EventRegistry } from './envelope/event-registry.js';
export { jsonDepth } from './envelope/json-depth.js';
export { type Partition, type PartitionRange, lowestIdAt, timeMsOf } from './envelope/partition-range.js';
export { idBeyond, lowestIdSince } from './envelope/ids-at.js';
export {
  ErrorClass,
  EventType,
  Id,
  Instant,
  Reason,
  StreamKey,
  TenantId,
  TraceId,
  storable,
} from './envelope/request-fields.js';

// Callers and pages
export { TenantScope } from './access/tenant-scope.js';
export { refusals } from './eventbus.refusals.js';
export { cursorOf, encodeCursor, IdCursor } from './paging/cursor.js';
export { defined } from './paging/defined.js';
export { findPageIds } from './paging/find-page-ids.js';
export { Limit, type Page, toCutPage, toPage } from './paging/page.js';
export { cutPage, MAX_PAGE_BYTES, PAGE_BYTES_NOTE } from './paging/page-bytes.js';
export { SEARCH_NOTE, SEARCHED_BY_LOOKUP, SEARCHED_PER_PAGE } from './paging/search-limit.js';
export { withinTimes } from './paging/within-times.js';

// Endpoints
export { type FoundCircuit, findCircuits, isAwaited } from './endpoints/circuits.sql.js';
export { HANDLER_DISPATCHER } from './endpoints/handler-names.js';
export {
  MAX_ENDPOINT_PREDICATES,
  MAX_SUBSCRIBED_TYPES,
  MAX_SUBSCRIPTIONS_BYTES,
  tooMany,
} from './endpoints/subscription-limits.js';
export { Subscriptions, atMost } from './endpoints/subscription.js';
export { describeVerdict } from './endpoints/subscriptions/describe-verdict.js';
export { JudgedEvent } from './endpoints/subscriptions/judged-event.js';
export { type Subscriber, SubscriptionJudge } from './endpoints/subscriptions/subscription-judge.js';
export type {
  EndpointHeaders,
  EndpointOrdering,
  EndpointRetry,
  OnDeadLetter,
  WebhookEndpointRow,
} from './endpoints/webhook-endpoint.entity.js';

// Deliveries and lanes
export type { AttemptRecord } from './deliveries/attempt-record.js';
export { deadLetterOpenDeliveries } from './deliveries/dead-letters.sql.js';
export { emptyLanes, findParkedLanes, freeLanes, skipDeadLetter } from './deliveries/lanes.sql.js';
export { parkLanes, parkOpenDeliveries, resumeLanes, resumeParkedDeliveries } from './deliveries/parking.sql.js';
export {
  deliveryQueues,
  isOpen,
  isOpenLane,
  isQueued,
  isSuspectDelivery,
  isSuspectLane,
  laneQueues,
} from './deliveries/queues.sql.js';
export type { WebhookDeliveryRow } from './deliveries/webhook-delivery.entity.js';

// Requests and their dispatch
export { SentBody } from './request/sent-body.js';
export { type OutgoingBody, type Redaction, WebhookBody } from './request/webhook-body.js';
export { isWebScheme, refuseDestination, schemeOf, schemesOf } from './dispatch/destinations.js';
export { DispatchRunner } from './dispatch/dispatch-runner.js';
export { DispatcherRegistry } from './dispatch/dispatcher-registry.js';
export { EndpointInvoker } from './dispatch/endpoint-invoker.js';
export type { InvokedEndpoint } from './dispatch/invocation.js';
export { TEST_WEBHOOK_LIMITS } from './dispatch/test-webhook-limits.js';

// Workers
export { LeaseKeeper } from './worker/lease-keeper.js';
export { WorkerCount } from './worker/liveness/worker-count.js';
export { countLiveWorkers } from './worker/liveness/workers.sql.js';

// Activity and telemetry
export { type ActivityCounts, addCounts, noActivity } from './activity/activity-counts.js';
export { ActivityPruner } from './activity/activity-pruner.js';
export { ALL, type ActivityScope } from './activity/activity-scope.js';
export {
  type EndpointActivity,
  type StoredActivity,
  readActivity,
  readHealth,
  readNow,
} from './activity/activity.sql.js';
export { percentilesOf, type Percentiles } from './activity/latency-histogram.js';
export { outcomeOf } from './telemetry/outcome.js';
export { type PipelineObserver, PipelineObservers, type RoutedEvent } from './telemetry/pipeline-observers.js';

// Management
export { callerEntry } from './management/caller-entry.js';
export {
  MAX_POLICIES,
  MAX_POLICY_VERSIONS,
  MAX_SECRET_VERSIONS,
  SECRETS_PER_ENDPOINT,
  TenantBudgets,
} from './management/budgets/tenant-budgets.js';
export {
  EndpointChanges,
  EndpointQuery,
  NewEndpoint,
  SecretRotation,
  SubscribedTypes,
} from './management/endpoints/endpoint-input.js';
export { EndpointReader } from './management/endpoints/endpoint-reader.js';
export { EndpointRequests } from './management/endpoints/endpoint-requests.js';
export { EndpointRotation } from './management/endpoints/endpoint-rotation.js';
export { EndpointSubscriptionCheck } from './management/endpoints/endpoint-subscription-check.js';
export { ledgerConditions, type LedgerFilter } from './management/ledger/ledger-conditions.js';
export { LedgerQuery } from './management/ledger/ledger-reader.js';
export { LedgerRecord } from './management/ledger/ledger-record.js';
export { SecretKeeper } from './management/secrets/secret-keeper.js';
export { SecretKinds } from './management/secrets/secret-kinds.js';

// Operations
export { OperationEntity, type OperationRow } from './replay/operations/operation.entity.js';
export {
  OperationService,
  type CancelResult,
  type CountResult,
  type StartResult,
} from './replay/operations/operation.service.js';
export { DeliveryReplay, type ReplayRequest, type ReplayResult } from './replay/delivery-replay.js';
export { BulkReplayRequest, EndpointOperationRequest, ReplayDeliveryRequest } from './replay/replay-input.js';
export {
  OperationKind,
  type OperationRequest,
  OperationState,
  type ReplayFilter,
} from './replay/operations/operation.js';

// Upkeep
export { PartitionKeeper } from './upkeep/partition-keeper.js';
export { type PartitionSize, describePartitions, listPartitions } from './upkeep/partitions.sql.js';
export { planExpiry } from './upkeep/plan-partitions.js';
export { RetentionForecast } from './upkeep/retention-forecast.js';
export { RetentionKeeper } from './upkeep/retention-keeper.js';

// The table of admin tokens, which the migrations of this package create
export { type AdminRole, AdminTokenEntity, type AdminTokenRow } from './admin-token.entity.js';
