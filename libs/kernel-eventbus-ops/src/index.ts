/** Health and metrics modules for hosts. */
export { EventBusHealthModule } from './health/eventbus-health.module.js';
export type { EventBusHealthOptions } from './health/health.options.js';
export { EventBusMetricsModule } from './metrics/eventbus-metrics.module.js';
export type { EventBusMetricsOptions } from './metrics/metrics.options.js';
