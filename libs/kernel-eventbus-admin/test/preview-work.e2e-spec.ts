import { AdminPrincipal } from '../src/access/admin-principal.js';
import { PolicyPreview, type PolicyTrial } from '../src/policies/policy-preview.js';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

/** Maximum number of members of a payload. */
const MEMBERS = 15_000;
const PARTS = 16;
/**
 * Cost of all members in one payload relative to sixteen payloads: about 1 if the work is linear (up to 4 was measured,
 * because large objects cost more), 16 if it is quadratic.
 */
const MAX_RATIO = 8;
const TRIES = 10;

/** No name is a prefix of another. */
const nameOf = (n: number) => `k${String(n).padStart(5, '0')}`;
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [nameOf(n), n]));
const first = `$.m.${nameOf(0)}`;
const leadsOn = { path: first, action: 'keep' } as const;

describe('the work of a policy preview grows with the payload, not with its square, where members', () => {
  const operator = new AdminPrincipal({ actor: 'test', role: 'operator', tenantId: null });
  let api: AdminApi;
  let previews: PolicyPreview;
  beforeAll(async () => {
    api = await AdminApi.start();
    previews = api.kernel.app.get(PolicyPreview, { strict: false });
  });
  afterAll(() => api.close());

  it.each<[string, PolicyTrial['rules']]>([
    ['are kept', [{ path: '$', action: 'keep' }]],
    [
      'are kept beside one that is dropped',
      [
        { path: '$', action: 'keep' },
        { path: first, action: 'drop' },
      ],
    ],
    ['have no rule', []],
    ['are dropped', [{ path: '$.m', action: 'drop' }, leadsOn]],
    ['are masked', [{ path: '$.m', action: 'mask' }, leadsOn]],
    ['are hashed', [{ path: '$.m', action: 'hash' }, leadsOn]],
    [
      'are not as a rule expects',
      [
        { path: '$', action: 'keep' },
        { path: '$.m[*]', action: 'drop' },
      ],
    ],
  ])('%s', async (_, rules) => {
    const whole = [{ m: members(MEMBERS) }];
    const parts = Array.from({ length: PARTS }, () => ({ m: members(MEMBERS / PARTS) }));
    const cpuOf = async (payloads: readonly Record<string, unknown>[]): Promise<number> => {
      const before = process.threadCpuUsage();
      for (const payload of payloads) {
        await previews.preview(operator, { eventType: TYPE, rules, payload });
      }
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    await cpuOf(parts);
    await cpuOf(whole);
    let [inOne, inMany] = [Infinity, Infinity];
    // The minimum of several tries excludes compilation and garbage collection.
    for (let left = TRIES; left > 0 && inOne >= MAX_RATIO * inMany; left--) {
      inMany = Math.min(inMany, await cpuOf(parts));
      inOne = Math.min(inOne, await cpuOf(whole));
    }
    expect(inOne / inMany).toBeLessThan(MAX_RATIO);
  });
});
