import { randomUUID } from 'node:crypto';
import { TYPE } from '@kernel/test-support/admin-api';
import { UnheldApi } from './unheld-api.js';

const MIB = 1_048_576;
const DEEP = `{"filter":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
const times = <Value>(count: number, make: (n: number) => Value) => Array.from({ length: count }, (_, n) => make(n));
const members = (count: number, name: (n: number) => string = (n) => `k${n}`) =>
  Object.fromEntries(times(count, (n) => [name(n), n]));

/** A new name for every request, because parsed paths are cached. */
let lastName = 0;
const freshName = (length: number) => `n${++lastName}`.padEnd(length, 'x');
/** 500 characters. */
const longPath = () => `$${times(15, () => `.${freshName(30)}`).join('[*]')}`.slice(0, 500);
const unreadable = (n: number) => [`$[?${'('.repeat(490)}`, `$..${freshName(490)}`, `$${'['.repeat(490)}`][n % 3];

const subscription = (predicates: unknown) => ({ type: TYPE, match: 'any', predicates });
/** The maximum number of predicates per endpoint, in two subscriptions. */
const atTheCaps = (predicate: (n: number) => unknown) => ({
  subscriptions: times(2, () => subscription(times(50, predicate))),
});
const inList = (value: unknown) => ({ path: '$.a', operator: 'in', value });

describe('the event loop is not held by', () => {
  let unheld: UnheldApi;
  let endpoint: Record<string, string>;
  const tenantId = randomUUID();
  beforeAll(async () => {
    unheld = await UnheldApi.start();
    endpoint = await unheld.api.createEndpoint(tenantId);
  });
  afterAll(() => unheld.close());

  describe.each<[string, number, () => object]>([
    ['100 predicates with 100 values each', 200, () => atTheCaps(() => inList(times(100, (n) => n)))],
    ['100 predicates with long paths', 200, () => atTheCaps(() => ({ path: longPath(), operator: 'exists' }))],
    ['500 types', 200, () => ({ subscribedTypes: [TYPE, ...times(499, (n) => `${n}.`.padEnd(160, 'x'))] })],
    ['20 headers', 200, () => ({ headers: Object.fromEntries(times(20, (n) => [`x-${n}`, 'x'.repeat(1_024)])) })],
    ['100 paths that are not read', 400, () => atTheCaps((n) => ({ path: unreadable(n), operator: 'exists' }))],
    [
      '5,000 predicates',
      400,
      () => ({ subscriptions: times(100, () => subscription(times(50, () => inList(['x'.repeat(99)])))) }),
    ],
    ['29,000 predicates that are none', 400, () => ({ subscriptions: [subscription(times(29_000, () => ({})))] })],
    ['29,000 values that are none', 400, () => ({ subscriptions: [subscription([inList(Array(29_000).fill(null))])] })],
    [
      '29,000 values that are none, in short lists',
      400,
      () => ({ subscriptions: times(6, () => subscription(times(48, () => inList(Array(100).fill(null))))) }),
    ],
    [
      '5,000 predicates that are none',
      400,
      () => ({ subscriptions: times(100, () => subscription(times(50, () => ({})))) }),
    ],
    ['29,000 types', 400, () => ({ subscribedTypes: times(29_000, () => '') })],
    ['1,000 headers', 400, () => ({ headers: members(1_000, (n) => `x-${n}`.padEnd(1_000, 'x')) })],
    ['1,000 unknown fields', 400, () => members(1_000, (n) => `${n}`.padEnd(1_000, 'x'))],
    [
      '28,000 unknown fields',
      400,
      () => ({ subscriptions: times(28, () => ({ ...subscription([]), ...members(990) })) }),
    ],
    ['a name of a megabyte', 400, () => ({ name: '\ud800'.repeat(MIB / 8) })],
  ])('an endpoint with %s', (_, status, settings) => {
    it('when it is created', async () => {
      const body = () => ({ tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE], ...settings() });
      await unheld.expectUnheld({ route: 'POST /endpoints', body }, status === 200 ? 201 : status);
    });

    it('when it is changed', async () => {
      await unheld.expectUnheld({ route: `PATCH /endpoints/${endpoint.endpointId}`, body: settings }, status);
    });
  });

  it.each<[string, number, () => unknown]>([
    ['500 rules', 200, () => times(500, () => ({ path: longPath(), action: 'drop' }))],
    ['500 rules that are not read', 400, () => times(500, (n) => ({ path: unreadable(n), action: 'keep' }))],
    ['9,900 rules', 400, () => times(9_900, () => ({ path: `$.${freshName(20)}`, action: 'keep' }))],
    ['9,900 rules that are not read', 400, () => times(9_900, () => ({ path: `$..${freshName(20)}`, action: 'x' }))],
    ['29,000 rules that are none', 400, () => times(29_000, () => ({}))],
    ['28,000 unknown fields', 400, () => times(28, () => members(990))],
  ])('a policy with %s, put or tried', async (_, status, rules) => {
    const body = () => ({ rules: rules() });
    await unheld.expectUnheld({ route: `PUT /policies/${TYPE}`, body }, status);
    const trial = () => ({ rules: rules(), payload: { m: members(15_000) } });
    await unheld.expectUnheld({ route: `POST /policies/${TYPE}/preview`, body: trial }, status);
  });

  const leads = { path: '$.m.k0', action: 'keep' };
  it.each<[string, number, unknown[], object]>([
    ['15,000 members that are masked', 200, [{ path: '$.m', action: 'mask' }], { m: members(15_000) }],
    ['15,000 members, each masked', 200, [{ path: '$.m', action: 'mask' }, leads], { m: members(15_000) }],
    ['15,000 members, each hashed', 200, [{ path: '$.m', action: 'hash' }, leads], { m: members(15_000) }],
    ['15,000 members that are kept', 200, [{ path: '$', action: 'keep' }], members(15_000)],
    ['15,000 members that are dropped', 200, [], members(15_000)],
    ['130,000 elements', 200, [{ path: '$.m[*]', action: 'hash' }], { m: Array(130_000).fill(1) }],
    ['a payload of 700 KB', 400, [{ path: '$.m', action: 'mask' }], { m: members(45_000) }],
    ['a payload of 500,000 elements', 400, [], { m: Array(500_000).fill(1) }],
  ])('a preview of a policy over %s', async (_, status, rules, payload) => {
    await unheld.expectUnheld({ route: `POST /policies/${TYPE}/preview`, body: { rules, payload } }, status);
  });

  const fields = ['filter', 'reason', 'anchor', 'rules', 'subscriptions', 'dryRun', 'payload'];
  const inEveryField = (value: unknown) => Object.fromEntries(fields.map((name) => [name, value]));
  const wrongEverywhere = inEveryField(times(4_000, () => ({})));
  const id = randomUUID();
  it.each([
    'POST /endpoints',
    `PATCH /endpoints/${id}`,
    'POST /endpoints/dry-run',
    ...['dry-run', 'recover', 'replay-missing', 'rotate-secret', 'test'].map((what) => `POST /endpoints/${id}/${what}`),
    `POST /events/${id}/preview`,
    'POST /deliveries/replay',
    `POST /deliveries/${id}/replay`,
    `POST /operations/${id}/cancel`,
    `POST /lanes/${id}/skip`,
    `PUT /policies/${TYPE}`,
    `POST /policies/${TYPE}/preview`,
    'POST /audit/verify',
    'POST /secrets',
    'POST /tokens',
    'POST /session',
    'POST /prune',
  ])('wrong values in every field of %s', async (route) => {
    await unheld.expectUnheld({ route, body: wrongEverywhere }, 400);
  });

  // With a filter, with a payload, and without a token. All other routes parse and validate a body like one of these.
  it.each(['POST /deliveries/replay', `POST /policies/${TYPE}/preview`, 'POST /session'])(
    'hostile bodies of %s',
    async (route) => {
      for (const body of [
        members(1_000, (n) => `${n}`.padEnd(1_000, 'x')),
        inEveryField(members(1_000)),
        { [fields[0]!]: Array(500_000).fill(1) },
        times(300_000, () => []),
        DEEP,
      ]) {
        await unheld.expectUnheld({ route, body }, 400);
      }
      await unheld.expectUnheld({ route, body: { reason: 'x'.repeat(1.5 * MIB) } }, 413);
    },
  );

  it.each<[number, string, unknown]>([
    [413, 'too long', { reason: 'x'.repeat(1.5 * MIB) }],
    [400, 'of many values', { filter: Array(600_000).fill(1) }],
    [400, 'nested', DEEP],
  ])('%i: a body that comes in chunks and is %s', async (status, _, body) => {
    await unheld.expectUnheld({ route: 'POST /prune', body, isChunked: true }, status);
  });
});
