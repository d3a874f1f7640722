import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { LeaseKeeper } from '@kernel/eventbus/engine';
import { EventBusMetricsConfig } from './metrics.options.js';

type EventLoopDelay = ReturnType<typeof monitorEventLoopDelay>;

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.99, 1];

/** Gauges of this process, without database queries. */
@Injectable()
export class ProcessGauges implements OnApplicationShutdown {
  readonly #delay: EventLoopDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(leases: LeaseKeeper, { registry }: EventBusMetricsConfig) {
    const registers = [registry];
    const delay = this.#delay;
    delay.enable();
    new Gauge({
      name: 'kernel_event_loop_lag_seconds',
      help: 'How late timers of this process were since the last scrape',
      labelNames: ['quantile'],
      registers,
      collect() {
        QUANTILES.forEach((quantile) => this.set({ quantile: String(quantile) }, lagSeconds(delay, quantile)));
        delay.reset();
      },
    });
    new Gauge({
      name: 'kernel_leased',
      help: 'Deliveries and lanes that this worker holds under a lease',
      labelNames: ['kind'],
      registers,
      collect() {
        Object.entries(leases.count()).forEach(([kind, count]) => this.set({ kind }, count));
      },
    });
  }

  onApplicationShutdown(): void {
    this.#delay.disable();
  }
}

/** The histogram measures the time between ticks, so the resolution is subtracted. */
function lagSeconds(delay: EventLoopDelay, quantile: number): number {
  return Math.max(0, delay.percentile(quantile * 100) / 1e6 - RESOLUTION_MS) / 1_000;
}
