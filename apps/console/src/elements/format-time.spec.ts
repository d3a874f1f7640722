import { formatAgo, formatDuration } from './format-time.ts';

describe('formatAgo', () => {
  it.each([
    [0, 'just now'],
    [-4, 'just now'],
    [5, '5 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3_599, '59 min ago'],
    [7_200, '2 h ago'],
    [200_000, '2 d ago'],
    [-90, 'in 1 min'],
  ])('%d s before: %s', (seconds, text) => {
    const nowMs = 1_800_000_000_000;
    expect(formatAgo(nowMs - seconds * 1_000, nowMs)).toBe(text);
  });

  it('a duration has its largest unit', () => {
    expect([0, 12.7, 61, 86_400].map(formatDuration)).toEqual(['0 s', '12 s', '1 min', '1 d']);
  });
});
