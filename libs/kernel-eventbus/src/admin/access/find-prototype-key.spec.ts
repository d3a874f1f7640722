import { findPrototypeKey } from './find-prototype-key.js';

describe('findPrototypeKey', () => {
  it.each([
    ['{"__proto__":1}', '__proto__'],
    ['{"headers":{"a":1,"__proto__":{"b":1}}}', 'headers.__proto__'],
    ['{"rules":[{"path":"$.a"},{"__proto__":null}]}', 'rules.1.__proto__'],
    ['{"a":"__proto__","constructor":1,"proto":{}}', undefined],
    ['null', undefined],
  ])('finds in %s: %s', (json, path) => {
    expect(findPrototypeKey(JSON.parse(json))).toBe(path);
  });

  it('goes to any depth', () => {
    let body: unknown = JSON.parse('{"__proto__":1}');
    for (let depth = 0; depth < 5_000; depth += 1) {
      body = [body];
    }
    expect(findPrototypeKey(body)).toMatch(/\.__proto__$/);
  });
});
