import { Counter, Gauge, Histogram } from 'prom-client';
import type { EventBusMetricsConfig } from './metrics.options.js';

type Owner = Pick<EventBusMetricsConfig, 'registry' | 'service'>;

/**
 * Creates the metrics of one service. Each sample has the label `service`, so that services can share a Prometheus. The
 * registry may be the host's, so its default labels are left alone.
 */
export class ServiceMetrics {
  constructor(private readonly owner: Owner) {}

  /** Starts at zero if it has no other label, so that its first increase is seen. */
  counter<Label extends string = never>(name: string, help: string, labelNames: Label[] = []) {
    const { service, registry } = this.owner;
    const counter = new Counter<string>({ name, help, labelNames: ['service', ...labelNames], registers: [registry] });
    if (labelNames.length === 0) {
      counter.inc({ service }, 0);
    }
    return {
      inc: (labels: Record<Label, string>, by = 1) => counter.inc({ service, ...labels }, by),
    };
  }

  histogram<Label extends string = never>(name: string, help: string, buckets: number[], labelNames: Label[] = []) {
    const { service, registry } = this.owner;
    const histogram = new Histogram<string>({
      ...{ name, help, buckets },
      labelNames: ['service', ...labelNames],
      registers: [registry],
    });
    if (labelNames.length === 0) {
      histogram.zero({ service });
    }
    return {
      zero: (labels: Record<Label, string>) => histogram.zero({ service, ...labels }),
      observe: (labels: Record<Label, string>, value: number) => histogram.observe({ service, ...labels }, value),
    };
  }

  /** `collect` runs before each read. */
  gauge<Label extends string = never>(
    name: string,
    help: string,
    { labelNames = [], collect }: { labelNames?: Label[]; collect?: () => void | Promise<void> } = {},
  ) {
    const { service, registry } = this.owner;
    const gauge = new Gauge<string>({
      name,
      help,
      labelNames: ['service', ...labelNames],
      registers: [registry],
      collect,
    });
    return {
      set: (labels: Record<Label, string>, value: number) => gauge.set({ service, ...labels }, value),
      reset: () => gauge.reset(),
    };
  }
}
