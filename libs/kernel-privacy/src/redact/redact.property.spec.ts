import fc from 'fast-check';
import {
  actionFor,
  namesExactly,
  namesLoosely,
  sentinelPayload,
  sentinelRules,
  type Sentinel,
  type SentinelRule,
} from '@kernel/test-support/sentinels';
import { formatPolicyPath } from '../policy/policy-path.js';
import { PolicyRules } from '../policy/policy-rule.js';
import { redact, redactByTree } from './redact.js';
import { compileRules } from './rule-tree.js';

describe('redact, for any payload and any rules', () => {
  it('[KER-6d] [KFM-7] lets out exactly the values whose most specific rule is keep', () => {
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, (given, rules) => {
        const out = JSON.stringify(redactUnder(given.payload, rules).payload);
        const wrong = given.leaves.filter((leaf) => out.includes(leaf.text) !== (actionFor(leaf, rules) === 'keep'));
        expect(wrong).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('[KER-6d] lets out nothing that a rule holds back, be it an array where the rule has an object or the reverse', () => {
    let misfits = 0;
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, (given, drawn) => {
        // With `$` kept, everything that no rule holds back goes out.
        const rules = [KEEP_ALL, ...drawn.filter(({ rule }) => rule.path !== '$')];
        const out = JSON.stringify(redactUnder(given.payload, rules).payload);
        const guards = rules.filter(({ rule }) => rule.action !== 'keep');
        const held = given.leaves.filter((leaf) =>
          guards.some((rule) => namesLoosely(leaf, rule) && !namesExactly(leaf, rule)),
        );
        misfits += held.length;
        expect(held.filter(({ text }) => out.includes(text))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(misfits).toBeGreaterThan(300);
  });

  it('[KER-6d] lets out no name of a member that is dropped', () => {
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, (given, rules) => {
        const out = JSON.stringify(redactUnder(given.payload, rules).payload);
        const dropped = given.names.filter((name) =>
          ['drop', 'wrong-shape', undefined].includes(actionFor(name, rules)),
        );
        expect(dropped.filter(({ text }) => out.includes(text))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('lists exactly the values that were removed, each under its rule-level path, with the reason', () => {
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, (given, rules) => {
        const { removed } = redactUnder(given.payload, rules);
        expect(new Set(removed.map(({ path }) => path)).size).toBe(removed.length);
        const reasons = new Map(removed.map(({ path, reason }) => [path, reason]));
        const expected = new Map(
          given.leaves
            .map((leaf) => [formatPolicyPath(leaf.segments), reasonOf(leaf, rules)] as const)
            .filter(([, reason]) => reason !== undefined),
        );
        const paths = [...new Set(given.leaves.map(({ segments }) => formatPolicyPath(segments)))];
        expect(paths.map((path) => reasons.get(path))).toEqual(paths.map((path) => expected.get(path)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('says that nothing was touched only where the payload is as it was', () => {
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, (given, rules) => {
        const { payload, removed, changed } = redactUnder(given.payload, rules);
        const isTouched = removed.length + changed.length > 0;
        expect(isTouched).toBe(JSON.stringify(payload) !== JSON.stringify(given.payload));
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the same whether it copies or not, and changes neither the payload nor any prototype', () => {
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, (given, rules) => {
        const before = JSON.stringify(given.payload);
        const copied = redactUnder(given.payload, rules);
        const tree = compileRules(rules.map(({ rule }) => rule));
        const { pending, ...shared } = redactByTree(given.payload, tree, (value) => value);
        pending.forEach((place) => place.fill(hash));
        expect(JSON.stringify(shared)).toBe(JSON.stringify(copied));
        expect(JSON.stringify(given.payload)).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('speaks only paths that the rules accept', () => {
    fc.assert(
      fc.property(sentinelPayload, (given) => {
        const { removed } = redactUnder(given.payload, []);
        expect(PolicyRules.safeParse(removed.map(({ path }) => ({ path, action: 'keep' }))).success).toBe(true);
      }),
    );
  });
});

const KEEP_ALL: SentinelRule = { segments: [], rule: { path: '$', action: 'keep' } };

const hash = () => 'hmac-sha256:0';

function redactUnder(given: Record<string, unknown>, rules: SentinelRule[]) {
  return redact(given, PolicyRules.parse(rules.map(({ rule }) => rule)), hash);
}

function reasonOf(leaf: Sentinel, rules: SentinelRule[]): string | undefined {
  const isText = leaf.text.startsWith('<');
  switch (actionFor(leaf, rules)) {
    case undefined:
      return 'no-rule';
    case 'drop':
      return 'drop';
    case 'wrong-shape':
      return 'wrong-shape';
    case 'truncate':
      return isText ? undefined : 'not-text';
    case 'coarsen':
      return isText ? 'not-number' : undefined;
    default:
      return undefined;
  }
}
