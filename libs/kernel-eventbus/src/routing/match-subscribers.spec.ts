import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EndpointCache } from '../endpoints/endpoint-cache.js';
import type { EndpointSettings } from '../endpoints/endpoint-settings.js';
import type { Predicate, Subscription } from '../endpoints/subscription.js';
import { resolveConfig } from '../eventbus.config.js';
import type { EventBusOptions } from '../eventbus.options.js';
import { EventMatcher } from './event-matcher.js';
import type { PendingEvent } from './pending-events.sql.js';
import { SubscriptionJudge } from '../endpoints/subscriptions/subscription-judge.js';

const event = (type: string, payload: unknown, tenantId = 'a') =>
  ({ eventId: randomUUID(), tenantId, type, payloadJson: JSON.stringify(payload) }) as PendingEvent;

/** Of the tenant, for two types. */
const endpoint = (endpointId: string, subscriptions: Subscription[] = [], tenantId = 'a') => ({
  tenantId,
  settings: {
    ...{ endpointId, version: '1', subscriptions, headers: {}, isEnabled: true },
    subscribedTypes: ['t.v1', 'u.v1'],
  } as unknown as EndpointSettings,
});

const wants = (...predicates: Predicate[]): Subscription[] => [{ type: 't.v1', match: 'all', predicates }];
const region = (value: string): Predicate => ({ path: '$.region', operator: 'equals', value });

const judge = (options: Partial<EventBusOptions> = {}) =>
  new SubscriptionJudge(resolveConfig({ masterKey: 'k', ...options }));
/** Matches in as many batches as a slow machine needs. */
const matched = async (events: PendingEvent[], endpoints: ReturnType<typeof endpoint>[], by = judge()) => {
  const byTenant = Object.entries(Object.groupBy(endpoints, ({ tenantId }) => tenantId));
  const subscribers = byTenant.flatMap(([tenantId, ofTenant]) => {
    const endpointIds = ofTenant!.map(({ settings }) => settings.endpointId);
    const found = { tenantId, endpointIds, versions: endpointIds.map(() => '1'), openIds: null };
    return ['t.v1', 'u.v1'].map((type) => ({ ...found, type }));
  });
  const matcher = new EventMatcher(by, new EndpointCache());
  const ids: string[] = [];
  for (let left = events; left.length > 0;) {
    const pending = left.map((one) => ({ ...one, subscribers }));
    const taken = await matcher.takeBatch(pending, async () => endpoints.map(({ settings }) => settings));
    ids.push(...taken.matches.map((match) => match.endpoint.endpointId));
    left = left.slice(taken.events.length);
  }
  return ids;
};

describe('the subscribers of an event', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('[FR-004] goes by tenant and exact type', async () => {
    const endpoints = [endpoint('mine'), endpoint('foreign', [], 'b')];
    expect(await matched([event('t.v1', {})], endpoints)).toEqual(['mine']);
    expect(await matched([event('T.v1', {}), event('t.v10', {}), event('t', {})], endpoints)).toEqual([]);
  });

  it('[KER-6] leaves out an endpoint that was changed before its settings were read, if it wants no such event any more', async () => {
    const endpoints = ['disabled', 'deleted', 'unsubscribed', 'active'].map((id) => endpoint(id));
    Object.assign(endpoints[0]!.settings, { isEnabled: false });
    Object.assign(endpoints[1]!.settings, { isDeleted: true });
    Object.assign(endpoints[2]!.settings, { subscribedTypes: ['u.v1'] });
    expect(await matched([event('t.v1', {})], endpoints)).toEqual(['active']);
  });

  it('[FR-005] goes by the predicates of the type, and only of that type', async () => {
    const endpoints = [endpoint('eu', wants(region('EU'))), endpoint('us', wants(region('US'))), endpoint('all')];
    expect(await matched([event('t.v1', { region: 'EU' })], endpoints)).toEqual(['eu', 'all']);
    expect(await matched([event('t.v1', {})], endpoints)).toEqual(['all']);
    expect(await matched([event('u.v1', {})], endpoints)).toEqual(['eu', 'us', 'all']);
  });

  it('parses a payload once, for however many endpoints, and not at all where none looks into it', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const both = wants(region('EU'), { path: '$.region', operator: 'exists', value: true });
    await matched([event('t.v1', { region: 'EU' })], [endpoint('1', both), endpoint('2', both), endpoint('3')]);
    expect(parse).toHaveBeenCalledTimes(1);

    parse.mockClear();
    const noPredicates = endpoint('4', [{ type: 't.v1', predicates: [] }]);
    await matched([event('u.v1', {}), event('t.v1', {})], [noPredicates, endpoint('5')]);
    await matched([event('u.v1', {})], [endpoint('6', both)]);
    expect(parse).not.toHaveBeenCalled();
  });

  it('[FR-005d] selects a path once per event, for all predicates of all endpoints', async () => {
    const selected: string[] = [];
    const own = judge({
      fieldSelector: {
        check: () => undefined,
        select: (payload, path) => {
          selected.push(path);
          return [(payload as Record<string, unknown>)[path]];
        },
      },
    });
    const predicates = Array.from({ length: 5_000 }, (_, index): Predicate => ({
      path: index % 2 === 0 ? 'region' : 'total',
      operator: 'equals',
      value: `none ${index}`,
    }));
    const entries = (last: Predicate): Subscription[] => [
      { type: 't.v1', match: 'any', predicates: [...predicates, last] },
    ];
    const endpoints = ['1', '2', '3'].map((id) =>
      endpoint(id, entries({ path: 'region', operator: 'equals', value: 'EU' })),
    );
    const events = [event('t.v1', { region: 'EU' }), event('t.v1', { region: 'US' })];
    expect(await matched(events, endpoints, own)).toEqual(['1', '2', '3']);
    expect(selected).toEqual(['region', 'total', 'region', 'total']);
  });

  it('[FR-011] asks a selector that throws once per event and path, and tells of each predicate', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const select = jest.fn((): unknown[] => {
      throw new RangeError('cannot select');
    });
    const own = judge({ fieldSelector: { check: () => undefined, select } });
    const both = wants(region('EU'), region('US'));
    const endpoints = [endpoint('1', both), endpoint('2', [{ ...both[0]!, match: 'any' }]), endpoint('3')];
    expect(await matched([event('t.v1', {})], endpoints, own)).toEqual(['3']);
    expect(select).toHaveBeenCalledTimes(1);
    expect(error.mock.calls.map(([line]) => (line as { endpointId: string }).endpointId)).toEqual(['1', '2']);
  });

  it('[FR-011] a predicate that throws is no match, the others go on, and it is told once, without the payload', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const own = judge({
      valueComparer: {
        compare: (_, actual, expected) => {
          if (expected === 'bad') {
            throw new RangeError(`cannot compare ${String(actual)}`);
          }
          return actual === expected;
        },
      },
    });
    const endpoints = [
      endpoint('bad', wants(region('bad'))),
      endpoint('any', [{ type: 't.v1', match: 'any', predicates: [region('bad'), region('sentinel')] }]),
      endpoint('good', wants(region('sentinel'))),
    ];
    const events = [event('t.v1', { region: 'sentinel' }), event('t.v1', { region: 'sentinel' })];
    expect(await matched(events, endpoints, own)).toEqual(['any', 'good', 'any', 'good']);

    expect(error.mock.calls).toEqual([
      [
        expect.objectContaining({
          endpointId: 'bad',
          type: 't.v1',
          path: '$.region',
          operator: 'equals',
          fault: { type: 'RangeError', stack: expect.any(Array) },
        }),
      ],
      [expect.objectContaining({ endpointId: 'any' })],
    ]);
    expect(JSON.stringify(error.mock.calls)).not.toContain('sentinel');
  });
});
