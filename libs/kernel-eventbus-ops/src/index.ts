export { EventBusHealthModule } from './health/eventbus-health.module.js';
export { EventBusMetricsModule } from './metrics/eventbus-metrics.module.js';
export { measureLedger } from './metrics/measure-ledger.sql.js';
export type { EventBusMetricsOptions } from './metrics/metrics.options.js';
