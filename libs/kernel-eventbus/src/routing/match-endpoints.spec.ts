import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Predicate, Subscription } from '../envelope/subscription.js';
import { ALL_TENANTS, HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { resolveConfig, type EventBusOptions } from '../eventbus.options.js';
import type { PendingEvent } from './claim-pending-events.sql.js';
import type { SubscribedEndpoint } from './find-subscribed-endpoints.sql.js';
import { matchEndpoints } from './match-endpoints.js';
import { SubscriptionJudge } from './subscription-judge.js';

const event = (type: string, payload: unknown, tenantId = 'a') =>
  ({ eventId: 'e', tenantId, type, payloadJson: JSON.stringify(payload) }) as PendingEvent;

const endpoint = (endpointId: string, subscriptions: Subscription[] = [], tenantId = 'a') =>
  ({ endpointId, tenantId, subscribedTypes: ['t.v1', 'u.v1'], subscriptions }) as unknown as SubscribedEndpoint;

const wants = (...predicates: Predicate[]): Subscription[] => [{ type: 't.v1', match: 'all', predicates }];
const region = (value: string): Predicate => ({ path: '$.region', operator: 'equals', value });

const judge = (options: Partial<EventBusOptions> = {}) =>
  new SubscriptionJudge(resolveConfig({ masterKey: 'k', ...options }));
const matched = (events: PendingEvent[], endpoints: SubscribedEndpoint[], by = judge()) =>
  matchEndpoints(events, endpoints, by).map((match) => match.endpoint.endpointId);

describe('matchEndpoints', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('[FR-004] goes by tenant and exact type', () => {
    const endpoints = [endpoint('mine'), endpoint('foreign', [], 'b')];
    expect(matched([event('t.v1', {})], endpoints)).toEqual(['mine']);
    expect(matched([event('T.v1', {}), event('t.v10', {}), event('t', {})], endpoints)).toEqual([]);
  });

  it('[KER-T] goes to the handlers of all tenants, and to nothing else that belongs to all', () => {
    const [handler, other] = [endpoint('handler', [], ALL_TENANTS), endpoint('other', [], ALL_TENANTS)];
    const endpoints = [
      { ...handler, dispatcher: HANDLER_DISPATCHER },
      { ...other, dispatcher: null },
    ];
    expect(matched([event('t.v1', {}, 'a'), event('t.v1', {}, 'b')], endpoints)).toEqual(['handler', 'handler']);
  });

  it('[FR-005] goes by the predicates of the type, and only of that type', () => {
    const endpoints = [endpoint('eu', wants(region('EU'))), endpoint('us', wants(region('US'))), endpoint('all')];
    expect(matched([event('t.v1', { region: 'EU' })], endpoints)).toEqual(['eu', 'all']);
    expect(matched([event('t.v1', {})], endpoints)).toEqual(['all']);
    expect(matched([event('u.v1', {})], endpoints)).toEqual(['eu', 'us', 'all']);
  });

  it('parses a payload once, for however many endpoints, and not at all where none looks into it', () => {
    const parse = jest.spyOn(JSON, 'parse');
    const both = wants(region('EU'), { path: '$.region', operator: 'exists', value: true });
    matched([event('t.v1', { region: 'EU' })], [endpoint('1', both), endpoint('2', both), endpoint('3')]);
    expect(parse).toHaveBeenCalledTimes(1);

    parse.mockClear();
    const noPredicates = endpoint('4', [{ type: 't.v1', predicates: [] }]);
    matched([event('u.v1', {}), event('t.v1', {})], [noPredicates, endpoint('5')]);
    matched([event('u.v1', {})], [endpoint('6', both)]);
    expect(parse).not.toHaveBeenCalled();
  });

  it('[FR-011] a predicate that throws is no match, the others go on, and it is told once, without the payload', () => {
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
    expect(matched(events, endpoints, own)).toEqual(['any', 'good', 'any', 'good']);

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
