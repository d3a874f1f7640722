import { formatPolicyPath, parsePolicyPath, type PathSegment } from './policy-path.js';

const name = (value: string): PathSegment => ({ kind: 'name', name: value });
const each: PathSegment = { kind: 'each' };

describe('parsePolicyPath', () => {
  it.each<[string, PathSegment[]]>([
    ['$', []],
    ['$.customer.email', [name('customer'), name('email')]],
    ['$.lines[*].amountCents', [name('lines'), each, name('amountCents')]],
    ['$.grid[*][*]', [name('grid'), each, each]],
    ["$['any name']", [name('any name')]],
    ["$['it\\'s'].x", [name("it's"), name('x')]],
    ["$['back\\\\slash']", [name('back\\slash')]],
    ["$['']", [name('')]],
    ['$["email"]', [name('email')]],
    ["$['a\\n']", [name('a\n')]],
    ['$ .a', [name('a')]],
    ["$['$.a[*]']", [name('$.a[*]')]],
    ['$.straße', [name('straße')]],
    ['$.__proto__', [name('__proto__')]],
  ])('reads %s', (path, segments) => {
    expect(parsePolicyPath(path)).toEqual({ ok: true, segments });
  });

  it.each([
    ['', 'nothing at all'],
    ['customer.email', 'a path without $'],
    ['$.lines[0]', 'an index'],
    ['$.lines[-1]', 'an index from the end'],
    ['$.lines[0:2]', 'a slice'],
    ['$.lines[?(@.x)]', 'a filter'],
    ['$..email', 'recursive descent'],
    ['$.*', 'a wildcard on names'],
    ['$.lines[*', 'an open bracket'],
    ["$['a','b']", 'a list of names'],
    ['$.2fa', 'a digit first'],
    ['$.', 'an empty name'],
    ['@actor', 'another reserved path'],
  ])('refuses %s (%s) and says what is allowed', (path) => {
    expect(parsePolicyPath(path)).toEqual({
      ok: false,
      problem: expect.stringContaining(".name, ['any name'] and [*]"),
    });
  });

  it.each([['$.a\0'], ["$['\ud800']"], [`$.${'a'.repeat(500)}`]])('refuses what no stored payload has', (path) => {
    expect(parsePolicyPath(path)).toMatchObject({ ok: false });
  });
});

describe('formatPolicyPath', () => {
  it.each([
    ["$['a']['b'][*]", '$.a.b[*]'],
    ["$['any name']", "$['any name']"],
    ["$['it\\'s a \\\\']", "$['it\\'s a \\\\']"],
    ['$ ["a\\n"]', "$['a\\n']"],
  ])('spells %s as %s', (path, spelled) => {
    const parsed = parsePolicyPath(path);
    expect(parsed.ok && formatPolicyPath(parsed.segments)).toBe(spelled);
  });
});
