import { Registry } from 'prom-client';
import { z } from 'zod';
import { InvalidOptionsError } from '../eventbus.errors.js';

/** Options of `EventBusMetricsModule.forRoot`. */
export interface EventBusMetricsOptions {
  /** The label `service` of the outbox's metrics. Default: `kernel-eventbus`. */
  service?: string;
  /** Where the metrics are registered, e.g. prom-client's own `register`. Default: a registry of their own. */
  registry?: Registry;
  /** Whether to serve the registry at `GET /metrics`. Default: true. */
  route?: boolean;
  /** Gauges are asked of the database at most this often, however many come to scrape. Default: 15000. */
  refreshIntervalMs?: number;
  /** So many event types, and so many error classes, have a label of their own; the others share `other`. Default: 200. */
  maxLabelValues?: number;
  /** Name tenant and endpoint of every open circuit. As many series as endpoints may fail, so off by default. */
  endpointLabels?: boolean;
}

const EventBusMetricsOptionsSchema = z.strictObject({
  service: z.string().min(1).default('kernel-eventbus'),
  registry: z
    .custom<Registry>(
      (value) => typeof (value as Partial<Registry> | null)?.registerMetric === 'function',
      'must be a Registry of prom-client',
    )
    .default(() => new Registry()),
  route: z.boolean().default(true),
  refreshIntervalMs: z.int().positive().max(3_600_000).default(15_000),
  maxLabelValues: z.int().positive().max(10_000).default(200),
  endpointLabels: z.boolean().default(false),
});

const ParsedOptions = class {} as unknown as abstract new () => Readonly<z.output<typeof EventBusMetricsOptionsSchema>>;

/** The options with every default in place. Its own injection token. */
export abstract class EventBusMetricsConfig extends ParsedOptions {}

export function resolveMetricsConfig(options: EventBusMetricsOptions): EventBusMetricsConfig {
  const parsed = EventBusMetricsOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
    throw new InvalidOptionsError(`EventBusMetricsModule options are not valid: ${problems.join('; ')}`);
  }
  return Object.freeze(parsed.data);
}
