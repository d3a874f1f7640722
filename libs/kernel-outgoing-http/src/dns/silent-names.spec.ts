import { SilentNames } from './silent-names.js';

describe('SilentNames', () => {
  it('remembers a name for ten seconds', () => {
    let now = 0;
    const names = new SilentNames(() => now);
    names.add('a.test');
    now = 9_999;
    expect([names.has('a.test'), names.has('b.test')]).toEqual([true, false]);
    now = 10_000;
    expect(names.has('a.test')).toBe(false);
  });

  it('forgets the oldest of more than 10,000', () => {
    const names = new SilentNames();
    for (let place = 0; place <= 10_000; place++) names.add(`n${place}.test`);
    expect([names.has('n0.test'), names.has('n1.test'), names.has('n10000.test')]).toEqual([false, true, true]);
  });
});
