import fc from 'fast-check';
import { formatPolicyPath, type PathSegment } from '../policy/policy-path.js';
import { POLICY_ACTIONS, PolicyRules, type PolicyAction } from '../policy/policy-rule.js';
import { redact } from './redact.js';

interface Rule {
  segments: PathSegment[];
  action: PolicyAction;
}

interface Leaf {
  segments: PathSegment[];
  sentinel: string;
}

// Few names, so that rules and payloads meet; among them those that have hurt others.
const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'any name', "it's", '0');
const shape = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant('leaf'),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
const payload = fc.dictionary(name, shape, { maxKeys: 5 }).map(withSentinels);

const segment = fc.oneof(
  { weight: 3, arbitrary: name.map((value): PathSegment => ({ kind: 'name', name: value })) },
  { weight: 1, arbitrary: fc.constant<PathSegment>({ kind: 'each' }) },
);
const rules = fc.uniqueArray(
  fc.record({ segments: fc.array(segment, { maxLength: 4 }), action: fc.constantFrom(...POLICY_ACTIONS) }),
  { maxLength: 12, selector: ({ segments }) => formatPolicyPath(segments) },
);

describe('redact, for any payload and any rules', () => {
  it('[KER-6d] lets out exactly the values whose most specific rule is keep', () => {
    fc.assert(
      fc.property(payload, rules, (given, ruleSet) => {
        const out = JSON.stringify(redactUnder(given.payload, ruleSet).payload);
        for (const leaf of given.leaves) {
          expect(out.includes(leaf.sentinel)).toBe(actionFor(leaf, ruleSet) === 'keep');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('lists exactly the values that were removed, each under its rule-level path', () => {
    fc.assert(
      fc.property(payload, rules, (given, ruleSet) => {
        const { removed } = redactUnder(given.payload, ruleSet);
        const paths = new Set(removed.map(({ path, reason }) => `${path} ${reason}`));
        expect(paths.size).toBe(removed.length);
        for (const leaf of given.leaves) {
          const path = formatPolicyPath(leaf.segments);
          const action = actionFor(leaf, ruleSet);
          expect(paths.has(`${path} no-rule`)).toBe(action === undefined);
          expect(paths.has(`${path} drop`)).toBe(action === 'drop');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('changes neither the payload nor any prototype', () => {
    fc.assert(
      fc.property(payload, rules, (given, ruleSet) => {
        const before = JSON.stringify(given.payload);
        redactUnder(given.payload, ruleSet);
        expect(JSON.stringify(given.payload)).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });

  it('speaks only paths that the rules accept', () => {
    fc.assert(
      fc.property(payload, (given) => {
        const { removed } = redactUnder(given.payload, []);
        expect(PolicyRules.safeParse(removed.map(({ path }) => ({ path, action: 'keep' }))).success).toBe(true);
      }),
    );
  });
});

function redactUnder(given: Record<string, unknown>, ruleSet: Rule[]) {
  const written = ruleSet.map(({ segments, action }) => ({ path: formatPolicyPath(segments), action }));
  return redact(given, written, () => 'hmac-sha256:0');
}

/** The semantics once more, as plainly as can be: of the rules that lead to the leaf, the longest. */
function actionFor({ segments }: Leaf, ruleSet: Rule[]): PolicyAction | undefined {
  return ruleSet
    .filter((rule) => formatPolicyPath(rule.segments) === formatPolicyPath(segments.slice(0, rule.segments.length)))
    .sort((one, other) => other.segments.length - one.segments.length)[0]?.action;
}

/** Gives every leaf a text of its own, and remembers where it stands. */
function withSentinels(shaped: Record<string, unknown>): { payload: Record<string, unknown>; leaves: Leaf[] } {
  const leaves: Leaf[] = [];
  const fill = (value: unknown, segments: PathSegment[]): unknown => {
    if (Array.isArray(value)) {
      return value.map((element) => fill(element, [...segments, { kind: 'each' }]));
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, below]) => [key, fill(below, [...segments, { kind: 'name', name: key }])]),
      );
    }
    const sentinel = `<sentinel ${leaves.length}>`;
    leaves.push({ segments, sentinel });
    return sentinel;
  };
  return { payload: fill(shaped, []) as Record<string, unknown>, leaves };
}
