import fc from 'fast-check';
import { formatSegment, parseJsonPath, type JsonPathSegment } from './json-path.js';

describe('parseJsonPath', () => {
  it.each<[string, JsonPathSegment[]]>([
    [
      '$.lines[0].sku',
      [
        { kind: 'name', name: 'lines' },
        { kind: 'index', index: 0 },
        { kind: 'name', name: 'sku' },
      ],
    ],
    ['$[-1]', [{ kind: 'index', index: -1 }]],
    ["$['a b'][*]", [{ kind: 'name', name: 'a b' }, { kind: 'each' }]],
    ["$['it\\'s \\\\ \\n \"']", [{ kind: 'name', name: 'it\'s \\ \n "' }]],
  ])('[FR-005d] reads %s', (path, segments) => {
    expect(parseJsonPath(path)).toEqual({ ok: true, segments });
    expect(segments.reduce((text, segment) => text + formatSegment(segment), '$')).toBe(path);
  });

  it.each([
    ['$["a"]', '$.a'],
    ['$ .a [ * ]', '$.a[*]'],
    ["$['\\u0061']", '$.a'],
  ])('[FR-005d] takes every spelling of RFC 9535: %s is %s', (path, spelled) => {
    const parsed = parseJsonPath(path);
    expect(parsed.ok && parsed.segments.reduce((text, segment) => text + formatSegment(segment), '$')).toBe(spelled);
  });

  it.each([
    '$[01]',
    '$[-0]',
    '$[1.5]',
    '$[1:2]',
    '$[0,1]',
    '$[?@.a]',
    '$..a',
    '$.*',
    '$.length()',
    '$..*',
    '$[*, 0]',
    '$[9007199254740992]',
    '$.a ',
    '$.',
    '',
    'a',
    '@.a',
  ])('[FR-005d] refuses "%s" and says what is allowed', (path) => {
    expect(parseJsonPath(path)).toEqual({ ok: false, problem: expect.stringContaining("['any name'], [0]") });
  });

  it('says from where on a path is not understood', () => {
    const parsed = parseJsonPath('$.lines[?@.sku].x');
    expect(!parsed.ok && parsed.problem).toContain(
      '"$.lines[?@.sku].x" is not understood from "[?@.sku].x" on: a path',
    );
  });

  it.each(['$.a\0', "$['\\u0000']", "$['\ud800']", "$['\\ud800']"])(
    'refuses what no stored payload has: %j',
    (path) => {
      expect(parseJsonPath(path)).toMatchObject({ ok: false });
    },
  );

  it('never throws, whatever it is given', () => {
    const signs = fc.constantFrom(...'$@.*[]\'"\\?!&|(),:-01aé \n'.split(''), '..', '$.', '[?', '\\u');
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 30 }), (parts) => {
        expect(parseJsonPath(parts.join(''))).toHaveProperty('ok');
      }),
      { numRuns: 2_000 },
    );
  });
});
