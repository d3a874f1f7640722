import { JsonPathSelector } from './json-path-selector.js';

const payload = {
  region: 'EU',
  note: null,
  'any name': 1,
  customer: { address: { city: 'Wien' } },
  lines: [{ sku: 'a', tags: ['x', 'y'] }, { sku: 'b', tags: [] }, {}],
  grid: [
    [1, 2],
    [3, [4]],
  ],
};

describe('JsonPathSelector', () => {
  const selector = new JsonPathSelector();

  it.each<[string, unknown[]]>([
    ['$', [payload]],
    ['$.region', ['EU']],
    ['$.note', [null]],
    ["$['any name']", [1]],
    ['$.customer.address.city', ['Wien']],
    ['$.lines[0].sku', ['a']],
    ['$.lines[-2].sku', ['b']],
    ['$.lines[*].sku', ['a', 'b']],
    ['$.lines[*].tags[*]', ['x', 'y']],
    ['$.lines[*].tags', [['x', 'y'], []]],
    ['$.grid[*][1]', [2, [4]]],
    ['$.grid[*][*]', [1, 2, 3, [4]]],
  ])('[FR-005d] selects %s', (path, nodes) => {
    expect(selector.check(path)).toBeUndefined();
    expect(selector.select(payload, path)).toEqual(nodes);
  });

  it.each([
    '$.nothing',
    '$.nothing.at.all',
    '$.region.length',
    '$.region[0]',
    '$.region[*]',
    '$.note.x',
    '$.lines.length',
    '$.lines[3]',
    '$.lines[-4]',
    '$.customer[*]',
    '$.constructor',
    '$.__proto__',
    '$.lines[*].nothing',
  ])('[FR-005d] finds nothing at %s, which is not in the payload', (path) => {
    expect(selector.select(payload, path)).toEqual([]);
  });

  it('finds a member that is named like one of every object', () => {
    expect(selector.select(JSON.parse('{"__proto__":{"a":1}}'), '$.__proto__.a')).toEqual([1]);
  });

  it.each(['region', '$.', '$..region', '$.lines[?@.sku]', '$.lines[0:1]', '$.*', '$.lines[0,1]', '$.lines.count()'])(
    '[FR-005d] refuses %s and says what is allowed',
    (path) => {
      expect(selector.check(path)).toContain("a path is $ followed by any of .name, ['any name'], [0]");
      expect(() => selector.select(payload, path)).toThrow(TypeError);
    },
  );
});
