import fc from 'fast-check';
import { namesLoosely, sentinelPayload, sentinelRules, type SentinelRule } from '@kernel/test-support/sentinels';
import { InvalidEventPrivacyError } from '../privacy.errors.js';
import { Classifier } from './classifier.js';
import type { EventPrivacy } from './event-privacy.js';

function misfits(privacy: EventPrivacy, payload: Record<string, unknown>, attributes: Record<string, unknown> = {}) {
  return new Classifier('well.surveyed.v1', privacy).misfitsOf({ payload, attributes });
}

describe('Classifier', () => {
  const forbidden = ['$.ssn', '$.owner.iban', "$.visits[*]['home address']"];

  it.each<[string, Record<string, unknown>, string[]]>([
    ['nothing of it', { owner: { name: 'Ada' }, visits: [{ at: 1 }], note: 'ssn' }, []],
    ['a member', { ssn: '123' }, ['$.ssn']],
    ['a member that is null', { ssn: null }, ['$.ssn']],
    ['a nested member', { owner: { iban: { a: 1 } } }, ['$.owner.iban']],
    ['a member of one element', { visits: [{}, { 'home address': 'x' }] }, ["$.visits[*]['home address']"]],
    ['several', { ssn: 1, owner: { iban: 2 } }, ['$.ssn', '$.owner.iban']],
    ['nothing where it would be', { owner: null, visits: [null, {}, []] }, []],
    ['nothing in the other container', { owner: [], visits: {} }, []],
  ])('[KFM-12] finds what is forbidden in a payload with %s', (_, payload, paths) => {
    expect(misfits({ forbidden }, payload)).toEqual(paths.map((path) => ({ kind: 'forbidden-field', path })));
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['an array for an object', { owner: [{ iban: 1 }] }, ['$.owner.iban']],
    ['an object for an array', { visits: { 'home address': 1 } }, ["$.visits[*]['home address']"]],
    ['an array in an array', { visits: [[{ 'home address': 1 }]] }, ["$.visits[*]['home address']"]],
    ['a text for an object', { owner: '{"iban":1}' }, ['$.owner.iban']],
    ['a number for an array', { visits: 1 }, ["$.visits[*]['home address']"]],
    ['a text in an array', { visits: [{}, 'x'] }, ["$.visits[*]['home address']"]],
  ])('[KFM-12] [KER-6d] cannot rule out what is forbidden in a payload with %s', (_, payload, paths) => {
    expect(misfits({ forbidden }, payload)).toEqual(paths.map((path) => ({ kind: 'forbidden-shape', path })));
  });

  it('[KFM-12] finds what is forbidden, whatever shape stands beside it', () => {
    expect(misfits({ forbidden }, { visits: [['x'], { 'home address': 1 }] })).toEqual([
      { kind: 'forbidden-field', path: "$.visits[*]['home address']" },
    ]);
  });

  it('[KFM-12] lets no payload pass with a value at a forbidden path, be arrays taken for objects or the reverse', () => {
    fc.assert(
      fc.property(sentinelPayload, sentinelRules, ({ payload, leaves }, rules) => {
        const paths = rules.filter(({ segments }) => segments.length > 0);
        const found = misfits({ forbidden: paths.map(({ rule }) => rule.path) }, payload).map(({ path }) => path);
        const isNamed = (path: SentinelRule) => leaves.some((leaf) => namesLoosely(leaf, path));
        const missed = paths.filter((path) => isNamed(path) && !found.includes(path.rule.path));
        expect(missed).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds nothing in what objects inherit', () => {
    expect(misfits({ forbidden: ['$.constructor', '$.toString', '$.__proto__'] }, {})).toEqual([]);
    expect(misfits({ requiredAttributes: ['constructor'] }, {})).toHaveLength(1);
  });

  it.each<[unknown, boolean]>([
    ['restricted', true],
    [0, true],
    [false, true],
    ['', false],
    [null, false],
    [undefined, false],
  ])('[KFM-7] takes the label %p for present: %p', (label, isPresent) => {
    const expected = isPresent ? [] : [{ kind: 'label-missing', path: '$.governance.careLabel' }];
    expect(misfits({ labels: ["$.governance['careLabel']"] }, { governance: { careLabel: label } })).toEqual(expected);
    const attribute = isPresent ? [] : [{ kind: 'attribute-missing', path: 'careLabel' }];
    expect(misfits({ requiredAttributes: ['careLabel'] }, {}, { careLabel: label })).toEqual(attribute);
  });

  it('needs the payload only where something is said of it', () => {
    expect(new Classifier('t.v1', { requiredAttributes: ['a'], rules: [] }).readsPayload).toBe(false);
    expect(new Classifier('t.v1', { labels: ['$.a'] }).readsPayload).toBe(true);
    expect(new Classifier('t.v1', { forbidden: ['$.a'] }).readsPayload).toBe(true);
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown field', { forbiden: [] }, /forbiden/],
    ['a bad rule', { rules: [{ path: '$.a', action: 'coarsen' }] }, /coarsen needs decimals/],
    ['a path that cannot be read', { forbidden: ['$..ssn'] }, /not understood/],
    ['the whole payload forbidden', { forbidden: ['$'] }, /whole payload/],
    ['a label in many places', { labels: ['$.a[*].b'] }, /no single place/],
    ['an attribute without a name', { requiredAttributes: [''] }, /requiredAttributes/],
  ])('refuses a declaration with %s and names the type', (_, privacy, problem) => {
    const declare = () => new Classifier('well.surveyed.v1', privacy);
    expect(declare).toThrow(InvalidEventPrivacyError);
    expect(declare).toThrow(problem);
    expect(declare).toThrow(/well\.surveyed\.v1/);
  });
});
