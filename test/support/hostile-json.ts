import fc from 'fast-check';

/** Member names that are known to cause bugs. */
export const hostileNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'then'];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    ...hostileNames,
    ...['', ' ', '\0', 'a\0b', '\\u0000', '\ud800', 'a\udfff', '\ufeff', '\u202e', '\u2028', '\r\n', '%00', '%', '..'],
    ...["' or 1=1 --", '$1', '{}', '{a,"b"}', 'null', 'NaN', '1e999', '-0', '00000000-0000-0000-0000-000000000000'],
    ...['x'.repeat(5_000), '😀'.repeat(200), '9999-12-31T23:59:59Z', '-infinity', '$..*', "$['"],
  ),
);

export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, 5e-324, Number.MAX_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON, with the more hostile kinds frequent. */
export const hostileValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(hostileText, hostileNumber, fc.constantFrom(null, true, false)),
    fc.dictionary(hostileText, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
})).value;

/** One value inside this many objects or arrays. */
export function nested(levels: number, kind: 'object' | 'array' = 'object'): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = kind === 'object' ? { a: value } : [value];
  return value;
}

/** Deeper than any stack; write it with `writeJson`, which does not recurse. */
export const deepValue: fc.Arbitrary<unknown> = fc.constantFrom(
  ...[nested(101), nested(1_000), nested(100_000), nested(200_000, 'array')],
);

/** A client's request body: JSON, and text that JSON.stringify would never write. */
export const hostileBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
  fc.constantFrom(
    ...['', 'null', '[]', '{}', '"', '{', '[1,', '{"a":1,}', "{'a':1}", 'NaN', 'undefined', '\ufeff{}', '\0', '{}{}'],
    ...['{"a":1,"a":2}', '{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}'],
    ...['1e400', `-${'9'.repeat(1_000)}`, '{"a":1e400}', '"\\ud800"', '{"a\\u0000b":"\\u0000"}', '{"\\ud800":1}'],
    ...[100, 101, 1_000, 100_000].map((levels) => '['.repeat(levels) + ']'.repeat(levels)),
    ...[100, 101, 1_000, 100_000].map((levels) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)),
    '['.repeat(500_000),
  ),
);
