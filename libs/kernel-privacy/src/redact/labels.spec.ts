import type { PolicyRule } from '../policy/policy-rule.js';
import { keepLabels, rulesAgainstLabels } from './labels.js';

const rules: PolicyRule[] = [
  { path: '$.care', action: 'drop' },
  { path: "$['care'].level", action: 'mask' },
  { path: '$.careful', action: 'mask' },
  { path: '$', action: 'drop' },
  { path: '@actorId', action: 'keep' },
];

describe('labels', () => {
  it('[KFM-7] are kept whatever the rules say of them and of what is below them', () => {
    expect(keepLabels(rules, ['$.care'])).toEqual([...rules.slice(2), { path: '$.care', action: 'keep' }]);
  });

  it('leave rules alone where there are none', () => {
    expect(keepLabels(rules)).toEqual(rules);
  });

  it('know the rules that are against them', () => {
    expect(rulesAgainstLabels(rules, ["$['care']"])).toEqual([0, 1]);
    expect(rulesAgainstLabels([{ path: '$.care', action: 'keep' }], ['$.care'])).toEqual([]);
    expect(rulesAgainstLabels(rules)).toEqual([]);
  });
});
