import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { hostileNumber, hostileText, hostileValue, nested } from '@kernel/test-support/hostile-json';
import { toCanonicalJson } from './canonical-json.js';
import { IN_DOUBT, inCanonicalOrder } from './canonical-order.js';

/** The text from the standard's own implementation, or the error with which it refuses the value. */
function standardOf(value: unknown): { json: string | undefined } | { refusal: string } {
  try {
    return { json: canonicalize(value) };
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}

function expectStandard(value: unknown): void {
  const standard = standardOf(value);
  const ordered = inCanonicalOrder(value);
  if (ordered !== IN_DOUBT) {
    expect({ json: JSON.stringify(ordered) }).toEqual(standard);
  }
  const canonical = toCanonicalJson(value);
  if (canonical.isStorable) {
    expect({ json: canonical.json }).toEqual(standard);
  } else if (!canonical.problem.includes('NUL')) {
    expect({ refusal: canonical.problem, json: undefined }).toMatchObject(standard);
  }
}

class Money {
  constructor(
    readonly amount: number,
    readonly currency: string,
  ) {}
}

/** Values outside JSON that `JSON.stringify` and RFC 8785 treat differently. */
const beyondJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(NaN, Infinity, -0, undefined, null, 1n, Symbol('a'), () => 1, '\ud800', new Money(1, 'EUR')),
  fc.constantFrom<unknown>(
    new Date(0),
    new Date(NaN),
    Object(1),
    Object('a'),
    Object(true),
    Object.create(null),
    new Map(),
  ),
  fc.constantFrom<unknown>({ toJSON: () => ({ b: 1, a: 2 }) }, { toJSON: 1 }, { toJSON: () => ({ toJSON: () => 1 }) }),
  fc.constantFrom<unknown>(Array.from({ length: 3 }), Array<unknown>(2), Object.assign([1], { toJSON: () => 'x' })),
  fc.constantFrom<unknown>(
    {
      get a() {
        return 1;
      },
    },
    { [Symbol('a')]: 1 },
    { '10': 1, '9': 2 },
    { '\ud800': 1 },
  ),
);
const anything: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(hostileText, hostileNumber, beyondJson, fc.constantFrom(null, true, false)),
    fc.dictionary(hostileText, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
})).value;

const wellFormed = hostileValue.map(
  (value) => JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f]../g, '')) as unknown,
);
/** Names that an object lists in the order of insertion. */
const memberName = fc.string({ unit: 'grapheme' }).filter((name) => !/^\d/.test(name) && name !== '__proto__');
const plainValue = fc.oneof(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const objectOf = (member: fc.Arbitrary<unknown>) => fc.dictionary(memberName, member, { noNullPrototype: true });

function expectOrdered(value: unknown): void {
  expect(inCanonicalOrder(value)).not.toBe(IN_DOUBT);
  expectStandard(value);
}

describe('toCanonicalJson', () => {
  it('is the text of RFC 8785 for whatever JSON', () => {
    fc.assert(fc.property(hostileValue, expectStandard), { numRuns: 2_000 });
  });

  it('is that text or that refusal for whatever else a program may hand in', () => {
    fc.assert(fc.property(anything, expectStandard), { numRuns: 5_000 });
  });

  it('does not copy a value that has its members in order', () => {
    const inOrder = wellFormed.map((value) => JSON.parse(canonicalize(value)!) as unknown);
    fc.assert(fc.property(inOrder, expectStandard), { numRuns: 1_000 });
    const value = { a: [1, null, { b: 'ü', c: undefined }], z: true };
    expect(inCanonicalOrder(value)).toBe(value);
  });

  it('orders the members of JSON without the slow serialiser, at any level', () => {
    fc.assert(fc.property(objectOf(fc.array(objectOf(plainValue))), expectOrdered), { numRuns: 1_000 });
    expectOrdered({ z: true, a: [{ c: 1, b: { e: 1, d: -0 } }], m: undefined });
    expectOrdered({ a: { c: [{ z: 1, y: 2 }], b: 1 }, '10': 1 });
  });

  it('leaves objects to the slow serialiser if a copy would list their members in another order', () => {
    expect(inCanonicalOrder({ b: 1, '10': 1, '9': 2 })).toBe(IN_DOUBT);
    expect(inCanonicalOrder(JSON.parse('{"b":1,"__proto__":{"a":1}}'))).toBe(IN_DOUBT);
    expectStandard({ b: 1, '10': 1, '9': 2 });
    expectStandard(JSON.parse('{"b":1,"__proto__":{"a":1}}'));
    expectStandard(JSON.parse('{"__proto__":{"b":1,"a":1},"a":1}'));
  });

  it('recurses neither into the deep nor in circles', () => {
    const circle: Record<string, unknown> = {};
    circle.itself = circle;
    expectStandard(circle);
    expectStandard(nested(100_000));
    expectStandard(nested(200_000, 'array'));
  });
});
