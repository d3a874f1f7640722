import { DnsOptionsSchema } from '@kernel/outgoing-http';
import { SealingOptionsSchema, VerificationOptionsSchema } from '@kernel/ledger';
import { describeIssues, listIssues } from '@kernel/runtime';
import { SecretsProvider } from '@kernel/secrets';
import { z } from 'zod';
import type { BroadcastMiddleware } from './dispatch/broadcast-middleware.js';
import type { EndpointInvokerMiddleware } from './dispatch/endpoint-invoker-middleware.js';
import { HTTP_DISPATCHER } from './dispatch/http-dispatcher.js';
import type { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import { resolveEndpointLimits } from './endpoints/endpoint-limits.js';
import type { FieldSelector } from './endpoints/subscriptions/field-selector.js';
import { JsonPathSelector } from './endpoints/subscriptions/json-path-selector.js';
import { ScalarComparer } from './endpoints/subscriptions/scalar-comparer.js';
import type { ValueComparer } from './endpoints/subscriptions/value-comparer.js';
import type { EventDefinition } from './envelope/define-event.js';
import { InvalidOptionsError } from './eventbus.errors.js';
import { aFunction, origin, parts, positive, withMethods } from './eventbus.option-checks.js';
import type { EventBusOptions } from './eventbus.options.js';
import { backoffMs, type BackoffStrategy } from './judgement/backoff.js';
import { judgeAttempt, type JudgeAttempt, type TransientDetection } from './judgement/judge-attempt.js';
import { IdempotencyOptionsSchema } from './outbox/idempotency.options.js';
import { OperationsOptionsSchema } from './replay/operations/operations.options.js';
import { RetentionOptionsSchema } from './upkeep/retention.options.js';

const EventBusOptionsSchema = z
  .strictObject({
    masterKey: z.string(),
    previousMasterKey: z.string().optional(),
    secretsProvider: z
      .custom<SecretsProvider>((value) => value instanceof SecretsProvider, 'must be an instance of a SecretsProvider')
      .optional(),
    adminToken: z.string().min(16, 'must have at least 16 characters').optional(),
    adminFailures: z.strictObject({ limit: positive.default(60), windowMs: positive.default(60_000) }).prefault({}),
    adminReadTimeoutMs: positive.max(600_000).default(10_000),
    adminReadConcurrency: positive.min(2).max(1_000).optional(),
    role: z.enum(['all', 'api', 'worker']).default('all'),
    migrations: z.enum(['run', 'check']).default('check'),
    events: z
      .array(z.custom<EventDefinition>((value) => typeof value === 'object' && value !== null && 'type' in value))
      .default([]),
    traceId: z.enum(['generated', 'required']).default('generated'),
    maxPayloadBytes: positive.default(262_144),
    maxPayloadDepth: positive.max(1_000).default(100),
    deduplication: z
      .strictObject({ scope: z.enum(['tenant', 'global']), retentionDays: positive.max(36_500).optional() })
      .optional(),
    idempotency: IdempotencyOptionsSchema,
    fieldSelector: withMethods<FieldSelector>('check', 'select').default(() => new JsonPathSelector()),
    valueComparer: withMethods<ValueComparer>('compare').default(() => new ScalarComparer()),
    retry: z
      .strictObject({
        maxAttempts: positive.max(100).default(5),
        initialDelayMs: positive.default(1_000),
        maxDelayMs: positive.default(300_000),
        maxRetryAfterMs: positive.default(3_600_000),
        backoff: aFunction<BackoffStrategy>().default(() => backoffMs),
        isTransient: aFunction<TransientDetection>().optional(),
      })
      .prefault({}),
    dispatchers: parts<WebhookDispatcher>(),
    defaultDispatcher: z.string().min(1).default(HTTP_DISPATCHER),
    httpDispatcher: z.boolean().default(true),
    broadcastMiddleware: parts<BroadcastMiddleware>(),
    broadcastTimeoutMs: positive.max(300_000).default(10_000),
    invokerMiddleware: parts<EndpointInvokerMiddleware>(),
    judge: aFunction<JudgeAttempt>().default(() => judgeAttempt),
    timeoutMs: positive.max(300_000).optional(),
    maxTimeoutMs: positive.max(300_000).optional(),
    maxInFlightPerEndpoint: positive.max(1_000).optional(),
    maxEndpointsPerTenant: positive.max(100_000).default(1_000),
    telemetryAttributes: z.array(z.string().min(1)).default([]),
    concurrency: positive.max(1_000).default(64),
    perEndpointConcurrency: positive.max(1_000).optional(),
    leaseMs: positive.optional(),
    routingBatchSize: positive.max(5_000).default(250),
    preparedStatements: z.union([z.boolean(), z.literal('auto')], 'must be true, false or auto').default('auto'),
    allowHttp: z.boolean().default(false),
    allowedCidrs: z.array(z.string()).default([]),
    allowedOrigins: z.array(origin).default([]),
    dns: DnsOptionsSchema,
    settingNames: z.strictObject({ allowHttp: z.string().optional(), allowedCidrs: z.string().optional() }).default({}),
    polling: z
      .strictObject({ minIntervalMs: positive.default(500), maxIntervalMs: positive.default(2_000) })
      .prefault({}),
    heartbeat: z.strictObject({ intervalMs: positive.default(2_000), silentMs: positive.default(8_000) }).prefault({}),
    circuit: z
      .strictObject({
        failures: positive.default(20),
        probeMs: positive.default(5_000),
        maxProbeMs: positive.default(300_000),
      })
      .prefault({}),
    partitions: z
      .strictObject({ intervalHours: positive.max(8_760).default(24), aheadCount: positive.max(100).default(3) })
      .prefault({}),
    retention: RetentionOptionsSchema,
    operations: OperationsOptionsSchema,
    health: z.strictObject({ maxDueAgeMs: positive.default(60_000) }).prefault({}),
    upkeepIntervalMs: positive.max(86_400_000).default(3_600_000),
    activityIntervalMs: positive.max(60_000).default(2_000),
    sealing: SealingOptionsSchema,
    verification: VerificationOptionsSchema,
    shutdownTimeoutMs: positive.default(15_000),
  })
  // Beyond that a repeat would look like a new event: the partition of the first one may be gone.
  .refine(({ deduplication, retention }) => (deduplication?.retentionDays ?? 0) <= retention.publishedDays, {
    path: ['deduplication', 'retentionDays'],
    message: 'must not exceed retention.publishedDays, after which events are dropped',
  })
  .refine(({ timeoutMs = 0, maxTimeoutMs = Infinity }) => timeoutMs <= maxTimeoutMs, {
    path: ['timeoutMs'],
    message: 'must not exceed maxTimeoutMs, or endpoints that set no timeoutMs would',
  })
  .refine(
    ({ perEndpointConcurrency = 0, maxInFlightPerEndpoint = Infinity }) =>
      perEndpointConcurrency <= maxInFlightPerEndpoint,
    {
      path: ['perEndpointConcurrency'],
      message: 'must not exceed maxInFlightPerEndpoint, or endpoints that set no maxInFlight would',
    },
  )
  .transform((options) => {
    const limits = resolveEndpointLimits(options);
    return {
      ...options,
      ...limits,
      deduplication: options.deduplication && {
        scope: options.deduplication.scope,
        retentionDays: options.deduplication.retentionDays ?? options.retention.publishedDays,
      },
      leaseMs: options.leaseMs ?? 4 * limits.timeoutMs + 20_000,
    };
  });

const ParsedOptions = class {} as unknown as abstract new () => Readonly<z.output<typeof EventBusOptionsSchema>>;

/** The validated, frozen options with all defaults. Its own injection token. */
export abstract class EventBusConfig extends ParsedOptions {}

export function resolveConfig(options: EventBusOptions): EventBusConfig {
  const parsed = EventBusOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = describeIssues(listIssues(parsed.error.issues));
    throw new InvalidOptionsError(`EventBusModule options are not valid: ${problems}`);
  }
  return deepFreeze(parsed.data);
}

function deepFreeze(config: EventBusConfig): EventBusConfig {
  Object.freeze(config.deduplication);
  Object.freeze(config.idempotency);
  Object.freeze(config.adminFailures);
  Object.freeze(config.retry);
  Object.freeze(config.polling);
  Object.freeze(config.heartbeat);
  Object.freeze(config.circuit);
  Object.freeze(config.partitions);
  Object.freeze(config.retention);
  Object.freeze(config.sealing);
  Object.freeze(config.verification);
  Object.freeze(config.operations);
  Object.freeze(config.health);
  Object.freeze(config.allowedCidrs);
  Object.freeze(config.allowedOrigins);
  Object.freeze(config.dns);
  Object.freeze(config.dns.servers);
  Object.freeze(config.settingNames);
  Object.freeze(config.events);
  return Object.freeze(config);
}
