import { defineEvent } from './envelope/define-event.js';
import { EventRegistry } from './envelope/event-registry.js';
import { DuplicateEventDefinitionError, InvalidOptionsError } from './eventbus.errors.js';
import { resolveConfig, type EventBusOptions } from './eventbus.options.js';

describe('options', () => {
  it('[FR-018] fills in the documented defaults', () => {
    expect(resolveConfig({ masterKey: 'k' })).toMatchObject({
      role: 'all',
      maxPayloadBytes: 262_144,
      maxPayloadDepth: 100,
      retry: { maxAttempts: 5, initialDelayMs: 1_000, maxDelayMs: 300_000 },
      timeoutMs: 10_000,
      concurrency: 64,
      allowHttp: false,
      allowedCidrs: [],
      allowedOrigins: [],
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

  it('freezes the result', () => {
    const config = resolveConfig({
      masterKey: 'k',
      allowedCidrs: ['10.0.0.0/8'],
      allowedOrigins: ['http://a.test'],
      deduplication: { scope: 'tenant' },
    });
    expect(() => Object.assign(config.deduplication!, { scope: 'global' })).toThrow(TypeError);
    expect(() => Object.assign(config, { role: 'api' })).toThrow(TypeError);
    expect(() => Object.assign(config.retry, { maxAttempts: 1 })).toThrow(TypeError);
    expect(() => config.allowedCidrs.push('0.0.0.0/0')).toThrow(TypeError);
    expect(() => config.allowedOrigins.push('http://b.test')).toThrow(TypeError);
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
