import { z } from 'zod';
import { keepsActorId, POLICY_ACTIONS, PolicyRule, PolicyRules, streamKeyAction } from './policy-rule.js';

const problemsOf = (result: z.ZodSafeParseResult<unknown>) => z.prettifyError(result.error!);

describe('PolicyRule', () => {
  it.each(['keep', 'drop', 'mask', 'hash'] as const)('accepts %s', (action) => {
    expect(PolicyRule.parse({ path: '$.email', action })).toEqual({ path: '$.email', action });
  });

  it.each(['shred', 'KEEP', undefined, 1])('refuses the action %s and lists those there are', (action) => {
    const result = PolicyRule.safeParse({ path: '$.email', action });
    expect(problemsOf(result)).toContain('use one of keep, drop, mask, hash, truncate, coarsen');
  });

  it.each([
    ['x'.repeat(5_000), `"${'x'.repeat(40)}…" is no action`],
    [{ a: 1 }, 'an object is no action'],
    [JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), 'a list is no action'],
    [null, 'null is no action'],
    [undefined, 'nothing is no action'],
  ])('quotes little of what it refuses, however much it is', (action: unknown, message) => {
    expect(problemsOf(PolicyRule.safeParse({ path: '$.email', action }))).toContain(message);
  });

  it.each([
    { action: 'truncate', length: 1 },
    { action: 'truncate', length: 10_000 },
    { action: 'coarsen', decimals: 0 },
    { action: 'coarsen', decimals: 6 },
  ])('[KFM-7] accepts %o', (rule) => {
    expect(PolicyRule.parse({ path: '$.site', ...rule })).toEqual({ path: '$.site', ...rule });
  });

  it.each([
    [{ action: 'truncate' }, 'truncate needs length'],
    [{ action: 'coarsen' }, 'coarsen needs decimals'],
    [{ action: 'coarsen', decimals: 1, length: 1 }, 'length belongs to truncate, not to coarsen'],
    [{ action: 'keep', decimals: 1 }, 'decimals belongs to coarsen, not to keep'],
    [{ action: 'truncate', length: 0 }, 'a whole number from 1 to 10000'],
    [{ action: 'truncate', length: 1.5 }, 'a whole number from 1 to 10000'],
    [{ action: 'coarsen', decimals: 7 }, 'a whole number from 0 to 6'],
    [{ action: 'coarsen', decimals: -1 }, 'a whole number from 0 to 6'],
    [{ action: 'coarsen', decimals: '2' }, 'a whole number from 0 to 6'],
  ])('refuses %o and says why', (rule, problem) => {
    expect(problemsOf(PolicyRule.safeParse({ path: '$.site', ...rule }))).toContain(problem);
  });

  it('refuses a path outside the grammar and says what is allowed', () => {
    expect(problemsOf(PolicyRule.safeParse({ path: '$..email', action: 'keep' }))).toContain("['any name'] and [*]");
  });

  it('refuses fields it does not know', () => {
    expect(PolicyRule.safeParse({ path: '$.at', action: 'keep', precision: 2 }).success).toBe(false);
  });

  it.each(['$', '@actorId'])('lets %s be kept or dropped only', (path) => {
    const rules = [
      ...(['keep', 'drop', 'mask', 'hash'] as const).map((action) => ({ path, action })),
      { path, action: 'truncate', length: 1 },
      { path, action: 'coarsen', decimals: 1 },
    ];
    const accepted = rules.filter((rule) => PolicyRule.safeParse(rule).success).map(({ action }) => action);
    expect(accepted).toEqual(['keep', 'drop']);
  });
});

describe('a rule for @streamKey', () => {
  it('keeps, hashes or drops it', () => {
    const accepted = POLICY_ACTIONS.filter((action) => PolicyRule.safeParse({ path: '@streamKey', action }).success);
    expect(accepted).toEqual(['keep', 'drop', 'hash']);
    const refused = PolicyRule.safeParse({ path: '@streamKey', action: 'mask' });
    expect(problemsOf(refused)).toContain('@streamKey takes keep, hash or drop only');
  });

  it('refuses other members of the envelope and names those there are', () => {
    const refused = PolicyRule.safeParse({ path: '@tenantId', action: 'drop' });
    expect(problemsOf(refused)).toContain('"@tenantId" is no member of the envelope that a policy covers');
    expect(problemsOf(refused)).toContain('use @actorId or @streamKey');
  });

  it('keeps it without a rule, and drops it under an action it does not know', () => {
    expect(streamKeyAction([{ path: '$', action: 'drop' }])).toBe('keep');
    expect(streamKeyAction([{ path: '@streamKey', action: 'hash' }])).toBe('hash');
    expect(streamKeyAction([{ path: '@streamKey', action: 'shred' as 'drop' }])).toBe('drop');
  });
});

describe('PolicyRules', () => {
  it('refuses a second rule for a path, however it is spelled', () => {
    const result = PolicyRules.safeParse([
      { path: '$.email', action: 'keep' },
      { path: "$['email']", action: 'drop' },
    ]);
    expect(problemsOf(result)).toContain('a second rule for $.email');
  });

  it('refuses a second rule for @actorId', () => {
    const rule = { path: '@actorId', action: 'keep' };
    expect(PolicyRules.safeParse([rule, rule]).success).toBe(false);
  });

  it('takes 500 rules and no more', () => {
    const rules = Array.from({ length: 501 }, (_, index) => ({ path: `$.field${index}`, action: 'keep' }));
    expect(PolicyRules.safeParse(rules.slice(1)).success).toBe(true);
    expect(problemsOf(PolicyRules.safeParse(rules))).toContain('at most 500 rules');
  });
});

describe('keepsActorId', () => {
  it('is true for its own rule alone', () => {
    expect(keepsActorId([{ path: '@actorId', action: 'keep' }])).toBe(true);
    expect(keepsActorId([{ path: '@actorId', action: 'drop' }])).toBe(false);
    expect(keepsActorId([{ path: '$', action: 'keep' }])).toBe(false);
  });
});
