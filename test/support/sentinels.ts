import {
  formatPolicyPath,
  POLICY_ACTIONS,
  type PathSegment,
  type PolicyAction,
  type PolicyRule,
} from '@kernel/privacy';
import fc from 'fast-check';

/** A rule in parts, so a test can derive its meaning without the library. */
export interface SentinelRule {
  segments: PathSegment[];
  rule: PolicyRule;
}

/** A value or member name that occurs exactly once in the payload. */
export interface Sentinel {
  segments: PathSegment[];
  text: string;
}

export interface SentinelPayload {
  payload: Record<string, unknown>;
  leaves: Sentinel[];
  /** Member names that no rule mentions. */
  names: Sentinel[];
}

const UNKNOWN_NAME = 'a name that no rule knows';

// Few names, so rules and payloads overlap; among them names known to cause bugs.
const knownName = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'any name', "it's", '0');
const name = fc.oneof({ weight: 5, arbitrary: knownName }, { weight: 1, arbitrary: fc.constant(UNKNOWN_NAME) });
const shape = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('text', 'number'),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;

/** Any payload whose every text, number and unknown name is a sentinel. */
export const sentinelPayload = fc.dictionary(name, shape, { maxKeys: 5 }).map(withSentinels);

const segment = fc.oneof(
  { weight: 3, arbitrary: knownName.map((value): PathSegment => ({ kind: 'name', name: value })) },
  { weight: 1, arbitrary: fc.constant<PathSegment>({ kind: 'each' }) },
);

/** Any rules that `PolicyRules` accepts; none lets a whole sentinel pass as truncated or coarsened. */
export const sentinelRules = fc.uniqueArray(
  fc
    .record({
      segments: fc.array(segment, { maxLength: 4 }),
      action: fc.constantFrom(...POLICY_ACTIONS),
      length: fc.integer({ min: 1, max: 8 }),
      decimals: fc.integer({ min: 0, max: 6 }),
    })
    .map(({ segments, action, length, decimals }): SentinelRule => {
      const path = formatPolicyPath(segments);
      const fit = path === '$' && action !== 'keep' ? 'drop' : action;
      const parameters = { ...(fit === 'truncate' && { length }), ...(fit === 'coarsen' && { decimals }) };
      return { segments, rule: { path, action: fit, ...parameters } };
    }),
  { maxLength: 12, selector: ({ rule }) => rule.path },
);

/** The semantics again, as simple as possible: the longest rule that leads to the place. */
export function actionFor(
  sentinel: Sentinel,
  rules: readonly SentinelRule[],
): PolicyAction | 'wrong-shape' | undefined {
  if (rules.some((rule) => rule.rule.action !== 'keep' && isOfWrongShape(sentinel, rule))) {
    return 'wrong-shape';
  }
  return rules
    .filter((rule) => namesExactly(sentinel, rule))
    .sort((one, other) => other.segments.length - one.segments.length)[0]?.rule.action;
}

/** True if a rule leads to the place, or to one above it. */
export function namesExactly({ segments }: Sentinel, { segments: path }: Pick<SentinelRule, 'segments'>): boolean {
  return formatPolicyPath(path) === formatPolicyPath(segments.slice(0, path.length));
}

/**
 * True if a path leads to the place, or to one above it, when arrays and objects are treated alike: step by step, or by
 * the names alone.
 */
export function namesLoosely({ segments }: Sentinel, { segments: path }: Pick<SentinelRule, 'segments'>): boolean {
  const isLike = (step: PathSegment, other: PathSegment | undefined) =>
    step.kind === 'name' && other?.kind === 'name' ? step.name === other.name : other !== undefined;
  const [names, wanted] = [segments, path].map((steps) =>
    steps.flatMap((one) => (one.kind === 'name' ? one.name : [])),
  );
  return path.every((step, at) => isLike(step, segments[at])) || wanted!.every((name, at) => name === names![at]);
}

/** True if path and place agree up to a step into an array in one and into an object or a scalar in the other. */
function isOfWrongShape({ segments }: Sentinel, { segments: path }: SentinelRule): boolean {
  const at = path.findIndex(
    (step, index) => formatPolicyPath([step]) !== formatPolicyPath(segments.slice(index, index + 1)),
  );
  return at >= 0 && path[at]!.kind !== segments[at]?.kind;
}

/** Gives every leaf and every unknown name a unique text, and records its place. */
function withSentinels(shaped: Record<string, unknown>): SentinelPayload {
  const leaves: Sentinel[] = [];
  const names: Sentinel[] = [];
  const fill = (value: unknown, segments: PathSegment[]): unknown => {
    if (Array.isArray(value)) {
      return value.map((element) => fill(element, [...segments, { kind: 'each' }]));
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, below]) => fillMember(key, below, segments)));
    }
    const sentinel = value === 'number' ? 1_000.123456789 + leaves.length : `<sentinel ${leaves.length}>`;
    leaves.push({ segments, text: String(sentinel) });
    return sentinel;
  };
  const fillMember = (key: string, below: unknown, segments: PathSegment[]): [string, unknown] => {
    const named = key === UNKNOWN_NAME ? `<name ${names.length}>` : key;
    const place: PathSegment[] = [...segments, { kind: 'name', name: named }];
    if (key === UNKNOWN_NAME) {
      names.push({ segments: place, text: named });
    }
    return [named, fill(below, place)];
  };
  return { payload: fill(shaped, []) as Record<string, unknown>, leaves, names };
}
