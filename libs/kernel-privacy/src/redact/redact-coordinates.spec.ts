import type { PolicyRule } from '../policy/policy-rule.js';
import { redact } from './redact.js';

const keep = (path: string): PolicyRule => ({ path, action: 'keep' });
const coarsen = (path: string, decimals = 1): PolicyRule => ({ path, action: 'coarsen', decimals });
const truncate = (path: string, length = 3): PolicyRule => ({ path, action: 'truncate', length });
const apply = (payload: Record<string, unknown>, ...rules: PolicyRule[]) => redact(payload, rules, () => 'hashed');

describe('[KFM-7] coarsen', () => {
  it.each<[string, Record<string, unknown>, PolicyRule[], Record<string, unknown>]>([
    ['a number', { lat: 39.1234 }, [coarsen('$.lat')], { lat: 39.1 }],
    ['a pair', { at: [-96.5678, 39.1234] }, [coarsen('$.at', 2)], { at: [-96.57, 39.12] }],
    ['the elements of a pair', { at: [-96.5678, 39.1234] }, [coarsen('$.at[*]', 0)], { at: [-97, 39] }],
    ['an object', { at: { lat: 39.1234, lon: -96.5678 } }, [coarsen('$.at')], { at: { lat: 39.1, lon: -96.6 } }],
    [
      'a GeoJSON geometry, however nested its coordinates are',
      { geometry: { type: 'Polygon', coordinates: [[[-96.5678, 39.1234, 310.52]]] } },
      [keep('$.geometry.type'), coarsen('$.geometry.coordinates')],
      { geometry: { type: 'Polygon', coordinates: [[[-96.6, 39.1, 310.5]]] } },
    ],
    [
      'every feature of a collection',
      {
        features: [
          { geometry: { type: 'Point', coordinates: [1.26, 2.22] }, properties: { well: 'sacred' } },
          { geometry: { type: 'Point', coordinates: [3.31, 4.44] } },
        ],
      },
      [keep('$.features[*].geometry.type'), coarsen('$.features[*].geometry')],
      {
        features: [
          { geometry: { type: 'Point', coordinates: [1.3, 2.2] } },
          { geometry: { type: 'Point', coordinates: [3.3, 4.4] } },
        ],
      },
    ],
    ['null, which tells nothing', { at: [null, 1.26] }, [coarsen('$.at')], { at: [null, 1.3] }],
  ])('rounds %s', (_, payload, rules, expected) => {
    expect(apply(payload, ...rules).payload).toEqual(expected);
  });

  it('holds back what is no number, and says so', () => {
    const payload = { at: { lat: '39.1234', lon: -96.5678, deep: { place: ['x', true] } }, text: '39.1234' };
    expect(apply(payload, coarsen('$.at'), coarsen('$.text'))).toEqual({
      payload: { at: { lon: -96.6 } },
      removed: [
        { path: '$.at.lat', reason: 'not-number' },
        { path: '$.at.deep.place[*]', reason: 'not-number' },
        { path: '$.text', reason: 'not-number' },
      ],
      changed: [{ path: '$.at', action: 'coarsen' }],
    });
  });

  it('lists as changed only what it changed', () => {
    expect(apply({ at: [1, 2] }, coarsen('$.at'))).toEqual({ payload: { at: [1, 2] }, removed: [], changed: [] });
  });
});

describe('truncate', () => {
  it('cuts every text at or below its path, and lists the path once', () => {
    const payload = { name: 'Ada Lovelace', names: ['Ada', 'Byron', null], deep: { note: 'abcdef' }, empty: {} };
    expect(apply(payload, truncate('$.name'), truncate('$.names'), truncate('$.deep', 5), truncate('$.empty'))).toEqual(
      {
        payload: { name: 'Ada', names: ['Ada', 'Byr', null], deep: { note: 'abcde' }, empty: {} },
        removed: [],
        changed: ['$.name', '$.names', '$.deep'].map((path) => ({ path, action: 'truncate' })),
      },
    );
  });

  it('holds back what is no text, with the parents that it emptied', () => {
    const payload = { a: { b: [{ c: 123_456 }, { c: true }] }, d: 'abcdef' };
    expect(apply(payload, truncate('$.a'), truncate('$.d'))).toEqual({
      payload: { d: 'abc' },
      removed: [{ path: '$.a.b[*].c', reason: 'not-text' }],
      changed: [{ path: '$.d', action: 'truncate' }],
    });
  });

  it('keeps __proto__ as data', () => {
    const payload = JSON.parse('{"a":{"__proto__":{"b":"abcdef"},"c":1}}') as Record<string, unknown>;
    expect(JSON.stringify(apply(payload, truncate('$.a')).payload)).toBe('{"a":{"__proto__":{"b":"abc"}}}');
  });
});
