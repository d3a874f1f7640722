import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id } from '@kernel/eventbus/engine';
import { PRESENT_CAP } from '../activity/measure-present.sql.js';
import { WINDOWS } from '../activity/activity-series.js';

export const WindowName = z.enum(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]);

export class StatsQuery extends createZodDto(
  z.strictObject({ window: WindowName.default('1h'), tenantId: Id.optional(), endpointId: Id.optional() }),
) {}

export class HealthQuery extends createZodDto(z.strictObject({ tenantId: Id.optional() })) {}

const count = z.number().int();

const LatencyMs = z
  .object({ p50: z.number(), p95: z.number(), p99: z.number() })
  .nullable()
  .meta({ description: 'how long endpoints took for what they took, from buckets; null: they took nothing' });

const counts = {
  published: count.meta({ description: 'events; 0 where an endpoint is named' }),
  delivered: count,
  failedAttempts: count,
  deadLettered: count.meta({ description: 'given up by a worker' }),
  latencyMs: LatencyMs,
};

export const Now = z.object({
  deliveredPerSecond: z.number().meta({ description: 'over the last minute' }),
  due: count.meta({ description: 'events to be routed, deliveries and lanes to be sent' }),
  oldestDueSeconds: z.number(),
  leased: count.meta({ description: 'of what is due: held by a worker' }),
  deadLetters: count,
  openCircuits: count,
  blockedLanes: count,
  workersAlive: count,
  countCap: count.meta({ description: `counts end at ${PRESENT_CAP}: such a count means that, or more` }),
});
export type Now = z.infer<typeof Now>;

export class StatsResponse extends createZodDto(
  z.object({
    window: WindowName,
    from: z.iso.datetime(),
    to: z.iso.datetime().meta({ description: 'the last step is under way' }),
    stepSeconds: count,
    now: Now,
    totals: z.object({
      ...counts,
      successRate: z.number().min(0).max(1).nullable().meta({ description: 'of attempts; null: there were none' }),
    }),
    series: z.array(z.object({ at: z.iso.datetime(), ...counts })).meta({ description: 'every step, oldest first' }),
  }),
) {}

export class HealthResponse extends createZodDto(
  z.object({
    items: z.array(
      z.object({
        endpointId: z.guid(),
        series: z.array(z.object({ at: z.iso.datetime(), delivered: count, failedAttempts: count })),
      }),
    ),
  }),
) {}
