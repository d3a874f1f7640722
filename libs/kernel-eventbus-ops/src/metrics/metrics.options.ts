import { Registry } from 'prom-client';
import { z } from 'zod';
import { InvalidOptionsError } from '@kernel/eventbus';
import { describeIssues, listIssues } from '@kernel/runtime';
import { ClassDecorators } from '../class-decorators.js';

/** Options of `EventBusMetricsModule.forRoot`. */
export interface EventBusMetricsOptions {
  /** The label `service` of every metric. Default: `kernel-eventbus`. */
  service?: string;
  /** Registry for the metrics, e.g. prom-client's own `register`. Default: a new registry. */
  registry?: Registry;
  /** Serves the registry at `GET /metrics`. Default: true. */
  route?: boolean;
  /** Decorators for the controller of the route, e.g. `[Public()]` for a global guard of the host. Default: none. */
  decorators?: readonly ClassDecorator[];
  /** Minimum interval between database queries for the gauges, for any number of scrapers. Default: 15000. */
  refreshIntervalMs?: number;
  /** Number of event types, and of error classes, with their own label; the others share `other`. Default: 200. */
  maxLabelValues?: number;
  /** Adds a series with tenant and endpoint for every open circuit. Off by default, because any endpoint may fail. */
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
  decorators: ClassDecorators,
  refreshIntervalMs: z.int().positive().max(3_600_000).default(15_000),
  maxLabelValues: z.int().positive().max(10_000).default(200),
  endpointLabels: z.boolean().default(false),
});

const ParsedOptions = class {} as unknown as abstract new () => Readonly<z.output<typeof EventBusMetricsOptionsSchema>>;

/** The options with all defaults applied. Its own injection token. */
export abstract class EventBusMetricsConfig extends ParsedOptions {}

export function resolveMetricsConfig(options: EventBusMetricsOptions): EventBusMetricsConfig {
  const parsed = EventBusMetricsOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = describeIssues(listIssues(parsed.error.issues));
    throw new InvalidOptionsError(`EventBusMetricsModule options are not valid: ${problems}`);
  }
  return Object.freeze(parsed.data);
}
