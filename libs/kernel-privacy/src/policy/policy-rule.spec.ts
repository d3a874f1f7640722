import { z } from 'zod';
import { keepsActorId, PolicyRule, PolicyRules } from './policy-rule.js';

const problemsOf = (result: z.ZodSafeParseResult<unknown>) => z.prettifyError(result.error!);

describe('PolicyRule', () => {
  it.each(['keep', 'drop', 'mask', 'hash'] as const)('accepts %s', (action) => {
    expect(PolicyRule.parse({ path: '$.email', action })).toEqual({ path: '$.email', action });
  });

  it.each(['truncate', 'coarsen', 'KEEP', undefined, 1])(
    'refuses the action %s and lists those there are',
    (action) => {
      const result = PolicyRule.safeParse({ path: '$.email', action });
      expect(problemsOf(result)).toContain('use one of keep, drop, mask, hash');
    },
  );

  it('refuses a path outside the grammar and says what is allowed', () => {
    expect(problemsOf(PolicyRule.safeParse({ path: '$..email', action: 'keep' }))).toContain("['any name'] and [*]");
  });

  it('refuses fields it does not know', () => {
    expect(PolicyRule.safeParse({ path: '$.at', action: 'keep', decimals: 2 }).success).toBe(false);
  });

  it.each(['$', '@actorId'])('lets %s be kept or dropped only', (path) => {
    const accepted = (['keep', 'drop', 'mask', 'hash'] as const).filter(
      (action) => PolicyRule.safeParse({ path, action }).success,
    );
    expect(accepted).toEqual(['keep', 'drop']);
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
