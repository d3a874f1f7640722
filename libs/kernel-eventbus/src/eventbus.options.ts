import { SecretsProvider } from '@kernel/secrets';
import { z } from 'zod';
import type { EventDefinition } from './envelope/define-event.js';
import { InvalidOptionsError } from './eventbus.errors.js';

export type EventBusRole = 'all' | 'api' | 'worker';

export interface EventBusOptions {
  /** Base64 of 32 bytes; encrypts secrets at rest and keys the privacy hashes. */
  masterKey: string;
  /** Where signing secrets come from. Default: the encrypted vault in PostgreSQL. */
  secretsProvider?: SecretsProvider;
  /** A bearer token with the operator role, besides those made through the admin API. Default: none. */
  adminToken?: string;
  /** `api` publishes and answers, `worker` routes and delivers, `all` does both. Default: `all`. */
  role?: EventBusRole;
  /** Event types whose payloads are checked at publish. Default: none. */
  events?: readonly EventDefinition[];
  /** Largest payload, as canonical JSON. Default: 262144 (256 KiB). */
  maxPayloadBytes?: number;
  retry?: {
    /** Attempts before a delivery goes to the DLQ. Default: 5. */
    maxAttempts?: number;
    /** Wait after the first failure; doubles with each further one. Default: 1000. */
    initialDelayMs?: number;
    /** Longest wait, before up to 20 % of jitter are added. Default: 300000 (5 min). */
    maxDelayMs?: number;
  };
  /** One deadline per attempt, from DNS to the last byte read. Default: 10000. */
  timeoutMs?: number;
  /** Deliveries in flight in this process. Default: 64. */
  concurrency?: number;
  /** Events routed in one transaction. Default: 200. */
  routingBatchSize?: number;
  /** Lets plain http endpoints in. Default: false. */
  allowHttp?: boolean;
  /** Networks that endpoints may live in although they are not global, e.g. `10.1.0.0/16`. Default: none. */
  allowedCidrs?: readonly string[];
  /**
   * Single places that endpoints may live in although they are plain http or an address that is not global, e.g.
   * `http://127.0.0.1:3001`: scheme, host and port, no path. A host name among them is vetted as ever. Default: none.
   */
  allowedOrigins?: readonly string[];
  polling?: {
    /** Pause after a look that found work. Default: 500. */
    minIntervalMs?: number;
    /** Pause that idle looks grow towards. Default: 2000. */
    maxIntervalMs?: number;
  };
  /** How long a stopping worker waits for what is in flight. Default: 15000. */
  shutdownTimeoutMs?: number;
}

const positive = z.number().int().positive();

/** Spelled as `URL.origin` spells it, which leaves a default port out. */
const origin = z
  .string()
  .refine(
    (text) => /^https?:\/\/[^\s/?#@\\]+$/.test(text) && URL.canParse(text),
    'must be an origin like http://127.0.0.1:3001, without a path',
  )
  .transform((text) => new URL(text).origin);

const EventBusOptionsSchema = z.strictObject({
  masterKey: z.string(),
  secretsProvider: z
    .custom<SecretsProvider>((value) => value instanceof SecretsProvider, 'must be an instance of a SecretsProvider')
    .optional(),
  adminToken: z.string().min(16, 'must have at least 16 characters').optional(),
  role: z.enum(['all', 'api', 'worker']).default('all'),
  events: z
    .array(z.custom<EventDefinition>((value) => typeof value === 'object' && value !== null && 'type' in value))
    .default([]),
  maxPayloadBytes: positive.default(262_144),
  retry: z
    .strictObject({
      maxAttempts: positive.max(100).default(5),
      initialDelayMs: positive.default(1_000),
      maxDelayMs: positive.default(300_000),
    })
    .prefault({}),
  timeoutMs: positive.max(300_000).default(10_000),
  concurrency: positive.max(1_000).default(64),
  routingBatchSize: positive.max(5_000).default(200),
  allowHttp: z.boolean().default(false),
  allowedCidrs: z.array(z.string()).default([]),
  allowedOrigins: z.array(origin).default([]),
  polling: z
    .strictObject({ minIntervalMs: positive.default(500), maxIntervalMs: positive.default(2_000) })
    .prefault({}),
  shutdownTimeoutMs: positive.default(15_000),
});

const ParsedOptions = class {} as unknown as abstract new () => Readonly<z.output<typeof EventBusOptionsSchema>>;

/** The options with every default in place, checked and frozen. Its own injection token. */
export abstract class EventBusConfig extends ParsedOptions {}

export function resolveConfig(options: EventBusOptions): EventBusConfig {
  const parsed = EventBusOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
    throw new InvalidOptionsError(`EventBusModule options are not valid: ${problems.join('; ')}`);
  }
  return deepFreeze(parsed.data);
}

function deepFreeze(config: EventBusConfig): EventBusConfig {
  Object.freeze(config.retry);
  Object.freeze(config.polling);
  Object.freeze(config.allowedCidrs);
  Object.freeze(config.allowedOrigins);
  Object.freeze(config.events);
  return Object.freeze(config);
}
