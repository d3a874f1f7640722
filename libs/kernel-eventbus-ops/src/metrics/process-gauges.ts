import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LeaseKeeper } from '@kernel/eventbus/engine';
import { EventBusMetricsConfig } from './metrics.options.js';
import { ServiceMetrics } from './service-metrics.js';

type EventLoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const RESOLUTION_MS = 20;
/** One gauge each: the label `quantile` is reserved for summaries. */
const LAGS = { p50: 50, p99: 99, max: 100 };

/** Gauges of this process, without database queries. */
@Injectable()
export class ProcessGauges implements OnApplicationShutdown {
  readonly #delay: EventLoopDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(leases: LeaseKeeper, config: EventBusMetricsConfig) {
    const metrics = new ServiceMetrics(config);
    const delay = this.#delay;
    delay.enable();
    for (const [name, percentile] of Object.entries(LAGS)) {
      const gauge = metrics.gauge(
        `kernel_event_loop_lag_${name}_seconds`,
        'How late timers of this process were since the last scrape',
        {
          collect() {
            gauge.set({}, lagSeconds(delay, percentile));
            // Gauges are collected in the order of their registration: the maximum comes last.
            if (name === 'max') delay.reset();
          },
        },
      );
    }
    const leased = metrics.gauge('kernel_leases', 'Deliveries and lanes that this worker holds under a lease', {
      labelNames: ['kind'],
      collect: () => Object.entries(leases.count()).forEach(([kind, count]) => leased.set({ kind }, count)),
    });
  }

  onApplicationShutdown(): void {
    this.#delay.disable();
  }
}

/** The histogram measures the time between ticks, so the resolution is subtracted. */
function lagSeconds(delay: EventLoopDelay, percentile: number): number {
  return Math.max(0, delay.percentile(percentile) / 1e6 - RESOLUTION_MS) / 1_000;
}
