import { kernelOrmProviders } from '@kernel/eventbus/engine';
import { type DynamicModule, Module } from '@nestjs/common';
import { configureController } from '@kernel/runtime';
import { MetricsController } from './metrics.controller.js';
import { EventBusMetricsConfig, resolveMetricsConfig, type EventBusMetricsOptions } from './metrics.options.js';
import { PipelineMetrics } from './pipeline-metrics.js';
import { ProcessGauges } from './process-gauges.js';
import { StoreGauges } from './store-gauges.js';

/** `GET /metrics` for Prometheus. Needs `EventBusModule.forRoot` beside it, in any role. */
@Module({})
export class EventBusMetricsModule {
  static forRoot(options: EventBusMetricsOptions = {}): DynamicModule {
    const config = resolveMetricsConfig(options);
    const { decorators } = config;
    return {
      module: EventBusMetricsModule,
      controllers: config.route ? [configureController(MetricsController, { path: 'metrics', decorators })] : [],
      providers: [
        ...kernelOrmProviders,
        { provide: EventBusMetricsConfig, useValue: config },
        PipelineMetrics,
        ProcessGauges,
        StoreGauges,
      ],
    };
  }
}
