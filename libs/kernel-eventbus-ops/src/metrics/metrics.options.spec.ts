import { Registry } from 'prom-client';
import { resolveMetricsConfig, type EventBusMetricsOptions } from './metrics.options.js';

describe('the options of the metrics', () => {
  it('have defaults, and a registry of their own each time', () => {
    const config = resolveMetricsConfig({});
    expect(config).toMatchObject({
      service: 'kernel-eventbus',
      route: true,
      refreshIntervalMs: 15_000,
      maxLabelValues: 200,
      endpointLabels: false,
    });
    expect(config.registry).toBeInstanceOf(Registry);
    expect(config.registry).not.toBe(resolveMetricsConfig({}).registry);
  });

  it.each([
    ['service', { service: '' }],
    ['registry', { registry: {} }],
    ['refreshIntervalMs', { refreshIntervalMs: 0 }],
    ['maxLabelValues', { maxLabelValues: 1.5 }],
    ['intervalMs', { intervalMs: 5 }],
  ])('name what is wrong: %s', (name, options) => {
    expect(() => resolveMetricsConfig(options as unknown as EventBusMetricsOptions)).toThrow(name);
  });
});
