import { retryAfterMs } from './retry-after.js';

const now = new Date('2026-11-16T12:00:00Z');

describe('retryAfterMs', () => {
  it('reads seconds and HTTP dates', () => {
    expect(retryAfterMs('120', now)).toBe(120_000);
    expect(retryAfterMs('Mon, 16 Nov 2026 12:01:00 GMT', now)).toBe(60_000);
    expect(retryAfterMs('Mon, 16 Nov 2026 11:00:00 GMT', now)).toBe(0);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '99999999999', '2026-11-16', 'Mon, 99 Foo 2026 99:99:99 GMT'])(
    'takes %j as none',
    (header) => {
      expect(retryAfterMs(header, now)).toBeUndefined();
    },
  );
});
