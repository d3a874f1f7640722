import { BoundedLabel } from './bounded-label.js';

describe('a bounded label', () => {
  it('keeps the first values and lets the later ones share a name', () => {
    const label = new BoundedLabel(2);
    expect(['a', 'b', 'c', 'a', 'd', 'b'].map((value) => label.of(value))).toEqual([
      'a',
      'b',
      'other',
      'a',
      'other',
      'b',
    ]);
  });
});
