import type { DnsOptions, GuardSettingNames } from '@kernel/outgoing-http';
import type { SealingOptions, VerificationOptions } from '@kernel/ledger';
import type { SecretsProvider } from '@kernel/secrets';
import type { BroadcastMiddleware } from './dispatch/broadcast-middleware.js';
import type { EndpointInvokerMiddleware } from './dispatch/endpoint-invoker-middleware.js';
import type { Part } from './dispatch/resolve-parts.js';
import type { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import type { FieldSelector } from './endpoints/subscriptions/field-selector.js';
import type { ValueComparer } from './endpoints/subscriptions/value-comparer.js';
import type { EventDefinition } from './envelope/define-event.js';
import type { BackoffStrategy } from './judgement/backoff.js';
import type { JudgeAttempt, TransientDetection } from './judgement/judge-attempt.js';
import type { IdempotencyOptions } from './outbox/idempotency.options.js';
import type { OperationsOptions } from './replay/operations/operations.options.js';
import type { RetentionOptions } from './upkeep/retention.options.js';

export type EventBusRole = 'all' | 'api' | 'worker';
export type DeduplicationScope = 'tenant' | 'global';

/** Which MikroORM of the host the kernel uses. */
export interface OrmContext {
  /** The `contextName` of the host's `MikroOrmModule.forRoot`. Default: none, the default context. */
  contextName?: string;
}

export interface EventBusOptions {
  /** Base64 of 32 bytes; encrypts secrets at rest and keys the privacy hashes. */
  masterKey: string;
  /** The previous key, until its rotation is finished (`rotateMasterKey`). Default: none. */
  previousMasterKey?: string;
  /** Source of secrets. Default: the encrypted vault in PostgreSQL. */
  secretsProvider?: SecretsProvider;
  /** A bearer token with the operator role, besides those created through the admin API. Default: none. */
  adminToken?: string;
  /** Limit of wrong tokens at the admin API; a token that was valid recently is always accepted. */
  adminFailures?: {
    /** Wrong tokens per source address and window before the response is 429, counted per process. Default: 60. */
    limit?: number;
    /** Length of the window. Default: 60000 (1 min). */
    windowMs?: number;
  };
  /** Database timeout of one statement of a read through the admin API, and the longest wait for a place. Default: 10000. */
  adminReadTimeoutMs?: number;
  /**
   * Reads and changes of the admin API at a time in this process, each with one connection. A third is reserved for
   * operators. A tenant has at most half of the others, an operator's token the reserved ones besides, but never all.
   * Default: a third of the pool, at least 2.
   */
  adminReadConcurrency?: number;
  /** `api` publishes and serves requests, `worker` routes and delivers, `all` does both. Default: `all`. */
  role?: EventBusRole;
  /**
   * `run` applies pending migrations of the kernel and the host at the start, before anything reads a table; processes
   * that start together take turns. `check` stops the start if one of the kernel's is missing. Default: `check`.
   */
  migrations?: 'run' | 'check';
  /** Event types whose payloads are checked at publish. Default: none. */
  events?: readonly EventDefinition[];
  /**
   * Trace id of events published without one, outside of a request and of `runWithTrace`: `generated`, or `required`,
   * which refuses them. Default: `generated`.
   */
  traceId?: 'generated' | 'required';
  /** Largest payload, as canonical JSON. Default: 262144 (256 KiB). */
  maxPayloadBytes?: number;
  /** Deepest nesting of objects and arrays in a payload, itself included; also in attributes. Default: 100. */
  maxPayloadDepth?: number;
  /**
   * Treats an event with a supplied id that exists as a repeat if it equals the stored event: `publish` returns that
   * and writes nothing. Default: off, an existing id is a `DuplicateEventIdError`.
   */
  deduplication?: {
    /**
     * `tenant`: repeats are recognised within the event's tenant; an id of another tenant is only taken
     * (`DuplicateEventIdError`). `global`: ids are unique across tenants, so the same id from another tenant is a
     * different event under a used id (`EventIdReusedError`).
     */
    scope: DeduplicationScope;
    /** How long after publication a repeat is recognised. Default and maximum: `retention.publishedDays`. */
    retentionDays?: number;
  };
  /** Events with an `idempotencyKey`: one event per tenant and key. */
  idempotency?: IdempotencyOptions;
  /** Reads the paths of payload predicates. Default: `JsonPathSelector`, a subset of JSONPath. */
  fieldSelector?: FieldSelector;
  /** Compares the selected values with a predicate's value. Default: `ScalarComparer`. */
  valueComparer?: ValueComparer;
  retry?: {
    /** Attempts before a delivery goes to the DLQ. Default: 5. */
    maxAttempts?: number;
    /** Delay after the first failure; doubles with each further one. Default: 1000. */
    initialDelayMs?: number;
    /** Longest delay, before up to 20 % of jitter is added. Default: 300000 (5 min). */
    maxDelayMs?: number;
    /** Longest delay that a receiver's `Retry-After` can ask for. Default: 3600000 (1 h). */
    maxRetryAfterMs?: number;
    /** Delay in milliseconds by number of failures. Default: `backoffMs`. */
    backoff?: BackoffStrategy;
    /** True if a failure is transient; undefined leaves it to the defaults of `judgeAttempt`. */
    isTransient?: TransientDetection;
  };
  /** Dispatchers besides HTTP: objects, or classes that Nest provides or creates. Their names must differ. */
  dispatchers?: readonly Part<WebhookDispatcher>[];
  /** Used by endpoints that name none. Default: `http`. */
  defaultDispatcher?: string;
  /** False disables the built-in HTTP dispatcher, e.g. to replace it with another one called `http`. Default: true. */
  httpDispatcher?: boolean;
  /** Wraps the fan-out of each event, in this order. Default: none. */
  broadcastMiddleware?: readonly Part<BroadcastMiddleware>[];
  /**
   * Timeout of an event's broadcast middleware: until all of it called next, and again until it ended. Default: 10000.
   */
  broadcastTimeoutMs?: number;
  /**
   * Wraps every attempt, in this order, between tracing and the endpoint's headers and signature; one called `tracing`,
   * `headers` or `signing` replaces the built-in one.
   */
  invokerMiddleware?: readonly Part<EndpointInvokerMiddleware>[];
  /** Judges the result of an attempt. Default: `judgeAttempt`; see there for the classes of failures. */
  judge?: JudgeAttempt;
  /**
   * One deadline per attempt, from DNS to the last byte read, if the endpoint sets none. Default: 15000, or
   * `maxTimeoutMs` if that is less.
   */
  timeoutMs?: number;
  /**
   * Highest `timeoutMs` that a tenant admin may set for an endpoint; an operator may set more. At least `timeoutMs`.
   * Default: 30000, or `timeoutMs` if that is more.
   */
  maxTimeoutMs?: number;
  /**
   * Highest `maxInFlight` that a tenant admin may set for an endpoint; an operator may set more. At least
   * `perEndpointConcurrency`. Default: 32, or `perEndpointConcurrency` if that is more.
   */
  maxInFlightPerEndpoint?: number;
  /** Endpoints that the admins of one tenant may have; an operator may create more. Default: 1000. */
  maxEndpointsPerTenant?: number;
  /** Event attributes in the log line of each dispatch, e.g. `pipelineId`. Default: none. */
  telemetryAttributes?: readonly string[];
  /** Deliveries in flight in this process. A quarter more is reserved for tenants with none in flight. Default: 64. */
  concurrency?: number;
  /**
   * Deliveries to one endpoint in flight in this process, if the endpoint sets no limit. Default: half of
   * `concurrency`, or `maxInFlightPerEndpoint` if that is less.
   */
  perEndpointConcurrency?: number;
  /** Duration of a lease on a delivery; a live worker renews it. Default: four times `timeoutMs` plus 20000. */
  leaseMs?: number;
  /** Events routed in one transaction. Default: 250. */
  routingBatchSize?: number;
  /**
   * Prepares the statements of the hot path once per connection. `auto`: unless there is a pooler in front of the
   * database; it is detected, with a warning, because another backend answers than the one that the connection was
   * opened to. `false`: never. `true`: also behind a pooler, which must then keep sessions or support prepared
   * statements (PgBouncer 1.21 or later with `max_prepared_statements`). Default: `auto`.
   */
  preparedStatements?: boolean | 'auto';
  /**
   * Allows plain http endpoints. Like the next two options, it applies to URLs set by an operator or the host; a URL
   * that a tenant admin sets or changes gets no such exception. Default: false.
   */
  allowHttp?: boolean;
  /** Non-global networks that endpoints may be in, e.g. `10.1.0.0/16`. Default: none. */
  allowedCidrs?: readonly string[];
  /**
   * Single origins that endpoints may use although they are plain http or a non-global address, e.g.
   * `http://127.0.0.1:3001`: scheme, host and port, no path. A host name among them is still vetted. Default: none.
   */
  allowedOrigins?: readonly string[];
  /** Lookup of the endpoints' host names. */
  dns?: DnsOptions;
  /** Operators' names for `allowHttp` and `allowedCidrs`, e.g. environment variables, used in refusals of URLs. */
  settingNames?: GuardSettingNames;
  polling?: {
    /** Pause after a poll that found work. Default: 500. */
    minIntervalMs?: number;
    /** Longest pause between idle polls, which grows up to it. Default: 2000. */
    maxIntervalMs?: number;
  };
  heartbeat?: {
    /** Interval of a worker's heartbeat. Default: 2000. */
    intervalMs?: number;
    /** Silence after which a worker's leases are released to others. Default: 8000. */
    silentMs?: number;
  };
  circuit?: {
    /** Consecutive failures, counted per process, that open an endpoint's circuit. Default: 20. */
    failures?: number;
    /** Delay until the first probe; doubles with each failed one. Default: 5000. */
    probeMs?: number;
    /** Longest delay between probes. Default: 300000 (5 min). */
    maxProbeMs?: number;
  };
  partitions?: {
    /** Hours that one partition of the outbox covers. Default: 24. */
    intervalHours?: number;
    /** Partitions created ahead of the current one. Default: 3. */
    aheadCount?: number;
  };
  retention?: RetentionOptions;
  /** Bulk operations: recover, replay missing, replay many. */
  operations?: OperationsOptions;
  health?: {
    /** `GET /health/ready` reports `degraded` if anything is due for longer. Default: 60000. */
    maxDueAgeMs?: number;
  };
  /** Interval at which partitions are created and old rows removed. Default: 3600000 (1 h). */
  upkeepIntervalMs?: number;
  /** Interval at which activity is added to the sums in the console; one statement if there was any. Default: 2000. */
  activityIntervalMs?: number;
  /** How workers seal the ledger. */
  sealing?: SealingOptions;
  /** How workers verify the sealed ledger in the background. */
  verification?: VerificationOptions;
  /** How long a stopping worker waits for work in flight. Default: 15000. */
  shutdownTimeoutMs?: number;
}
