import { defineEvent } from './envelope/define-event.js';
import { EventRegistry } from './envelope/event-registry.js';
import { DuplicateEventDefinitionError, InvalidOptionsError } from './eventbus.errors.js';
import { resolveConfig } from './eventbus.config.js';
import type { EventBusOptions } from './eventbus.options.js';

describe('options', () => {
  it('[FR-018] fills in the documented defaults', () => {
    expect(resolveConfig({ masterKey: 'k' })).toMatchObject({
      role: 'all',
      maxPayloadBytes: 262_144,
      maxPayloadDepth: 100,
      retry: { maxAttempts: 5, initialDelayMs: 1_000, maxDelayMs: 300_000 },
      timeoutMs: 15_000,
      concurrency: 64,
      allowHttp: false,
      allowedCidrs: [],
      allowedOrigins: [],
      dns: { timeoutMs: 5_000 },
      polling: { minIntervalMs: 500, maxIntervalMs: 2_000 },
      partitions: { intervalHours: 24, aheadCount: 3 },
      retention: { publishedDays: 30, deliveryDays: 30, deadLetterDays: 90, processedDays: 90 },
      upkeepIntervalMs: 3_600_000,
    });
  });

  it('[FR-014b] deduplicates only where the host says so', () => {
    expect(resolveConfig({ masterKey: 'k' }).deduplication).toBeUndefined();
  });

  it('[FR-014a] recognises repeats for as long as events are kept, or for as long as the host says', () => {
    const deduplication = { scope: 'tenant' } as const;
    const resolve = (options: Partial<EventBusOptions>) => resolveConfig({ masterKey: 'k', ...options }).deduplication;
    expect(resolve({ deduplication })).toEqual({ scope: 'tenant', retentionDays: 30 });
    expect(resolve({ deduplication, retention: { publishedDays: 3 } })).toEqual({ scope: 'tenant', retentionDays: 3 });
    expect(resolve({ deduplication: { scope: 'global', retentionDays: 7 } })).toEqual({
      scope: 'global',
      retentionDays: 7,
    });
  });

  it('remembers what handlers have processed for as long as events are kept, at least', () => {
    const days = (retention: EventBusOptions['retention']) =>
      resolveConfig({ masterKey: 'k', retention }).retention.processedDays;
    expect([days({}), days({ publishedDays: 365 }), days({ processedDays: 30 })]).toEqual([90, 365, 30]);
  });

  it.each<[string, Partial<EventBusOptions>, Partial<EventBusOptions>]>([
    [
      'by default',
      {},
      { timeoutMs: 15_000, maxTimeoutMs: 30_000, perEndpointConcurrency: 32, maxInFlightPerEndpoint: 32 },
    ],
    ['where there is less in all', { concurrency: 8 }, { perEndpointConcurrency: 4, maxInFlightPerEndpoint: 32 }],
    ['where there is more in all', { concurrency: 1_000 }, { perEndpointConcurrency: 32, maxInFlightPerEndpoint: 32 }],
    [
      'under low caps',
      { maxTimeoutMs: 5_000, maxInFlightPerEndpoint: 4 },
      { timeoutMs: 5_000, perEndpointConcurrency: 4 },
    ],
    [
      'under high caps',
      { maxTimeoutMs: 60_000, maxInFlightPerEndpoint: 500, concurrency: 200 },
      { timeoutMs: 15_000, perEndpointConcurrency: 100 },
    ],
    [
      'above the default of the caps, which then rise',
      { timeoutMs: 60_000, perEndpointConcurrency: 100 },
      { timeoutMs: 60_000, maxTimeoutMs: 60_000, perEndpointConcurrency: 100, maxInFlightPerEndpoint: 100 },
    ],
    ['with its lease', { maxTimeoutMs: 5_000 }, { leaseMs: 40_000 }],
  ])('limits an endpoint that sets no limits to what its tenant admin may set: %s', (_, options, resolved) => {
    expect(resolveConfig({ masterKey: 'k', ...options })).toMatchObject(resolved);
  });

  it('freezes the result', () => {
    const config = resolveConfig({
      masterKey: 'k',
      allowedCidrs: ['10.0.0.0/8'],
      allowedOrigins: ['http://a.test'],
      dns: { servers: ['10.0.0.2'] },
      deduplication: { scope: 'tenant' },
    });
    expect(() => Object.assign(config.deduplication!, { scope: 'global' })).toThrow(TypeError);
    expect(() => Object.assign(config, { role: 'api' })).toThrow(TypeError);
    expect(() => Object.assign(config.retry, { maxAttempts: 1 })).toThrow(TypeError);
    expect(() => config.allowedCidrs.push('0.0.0.0/0')).toThrow(TypeError);
    expect(() => config.allowedOrigins.push('http://b.test')).toThrow(TypeError);
    expect(() => config.dns.servers!.push('10.0.0.3')).toThrow(TypeError);
  });

  it('spells an allowed origin as URLs do', () => {
    const allowedOrigins = ['http://127.0.0.1:80', 'http://127.0.0.1:3001', 'https://Inside.test'];
    expect(resolveConfig({ masterKey: 'k', allowedOrigins }).allowedOrigins).toEqual([
      'http://127.0.0.1',
      'http://127.0.0.1:3001',
      'https://inside.test',
    ]);
  });

  it.each(['127.0.0.1:3001', 'ftp://a.test', 'http://a.test/', 'http://a.test/hook', 'http://u@a.test', 'http://a:x'])(
    'refuses %s as an allowed origin',
    (origin) => {
      expect(() => resolveConfig({ masterKey: 'k', allowedOrigins: [origin] })).toThrow(
        /allowedOrigins\.0: must be an origin like http/,
      );
    },
  );

  it.each<[Partial<EventBusOptions>, RegExp]>([
    [{ role: 'boss' as never }, /role/],
    [{ concurrency: 0 }, /concurrency/],
    [{ retry: { maxAttempts: -1 } }, /retry\.maxAttempts/],
    [{ adminToken: 'short' }, /adminToken/],
    [{ deduplication: {} as never }, /deduplication\.scope/],
    [{ deduplication: { scope: 'stream' as never } }, /deduplication\.scope/],
    [{ deduplication: { scope: 'tenant', retentionDays: 0 } }, /deduplication\.retentionDays/],
    [{ deduplication: { scope: 'tenant', retentionDays: 31 } }, /deduplication\.retentionDays: .*publishedDays/],
    [{ retention: { publishedDays: 40, processedDays: 39 } }, /retention\.processedDays: .*publishedDays/],
    [{ timeOutMs: 5 } as never, /timeOutMs/],
    [{ timeoutMs: 6_000, maxTimeoutMs: 5_000 }, /timeoutMs: must not exceed maxTimeoutMs/],
    [
      { perEndpointConcurrency: 5, maxInFlightPerEndpoint: 4 },
      /perEndpointConcurrency: must not exceed maxInFlightPerEndpoint/,
    ],
    [{ dns: { servers: ['ns1.example.com'] } }, /dns\.servers\.0: must be an address/],
    [{ dns: { servers: [] } }, /dns\.servers: name at least one/],
    [{ dns: { timeoutMs: 0 } }, /dns\.timeoutMs/],
    [{ fieldSelector: { check: () => undefined } as never }, /fieldSelector: must be .* check and select/],
    [{ valueComparer: null as never }, /valueComparer: must be .* compare/],
  ])('refuses %j, naming it', (options, message) => {
    expect(() => resolveConfig({ masterKey: 'k', ...options })).toThrow(InvalidOptionsError);
    expect(() => resolveConfig({ masterKey: 'k', ...options })).toThrow(message);
  });

  it('refuses an event type that is defined twice', () => {
    const definition = defineEvent({ type: 'a.v1' });
    expect(() => new EventRegistry([definition, definition])).toThrow(DuplicateEventDefinitionError);
  });
});
