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
  ])('[FR-005d] reads %s', (path, segments) => {
    expect(parseJsonPath(path)).toEqual({ ok: true, segments });
    expect(segments.reduce((text, segment) => text + formatSegment(segment), '$')).toBe(path);
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
    '$["a"]',
    'a',
    '@.a',
  ])('[FR-005d] refuses %s and says what is allowed', (path) => {
    expect(parseJsonPath(path)).toEqual({ ok: false, problem: expect.stringContaining("['any name'], [0]") });
  });
});
