import { resolveConfig } from '@kernel/eventbus/engine';
import { FailedAttempts } from './failed-attempts.js';

const SECOND = 1_000;

function setup(limit = 2) {
  const config = resolveConfig({
    masterKey: Buffer.alloc(32).toString('base64'),
    adminFailures: { limit, windowMs: 10 * SECOND },
  });
  const clock = { time: 0, now: () => new Date(clock.time) };
  return { clock, attempts: new FailedAttempts(config, clock) };
}

describe('FailedAttempts', () => {
  it('lets some pass, then says how long to wait, until the window is over', () => {
    const { attempts, clock } = setup();
    expect([1, 2].map(() => attempts.note('192.0.2.1'))).toEqual([undefined, undefined]);
    expect(attempts.note('192.0.2.1')).toBe(10);
    clock.time = 9_500;
    expect(attempts.note('192.0.2.1')).toBe(1);
    clock.time = 10_000;
    expect(attempts.note('192.0.2.1')).toBeUndefined();
  });

  it.each([
    ['192.0.2.1', '192.0.2.2', false],
    ['192.0.2.1', '::ffff:192.0.2.1', true],
    ['2001:db8::1', '2001:db8:0:0:ffff::9', true],
    ['2001:db8::1', '2001:0db8:0000:0000:1:2:3:4', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['fe80::1%eth0', 'fe80::2', true],
    ['::1', '::2', true],
    [undefined, undefined, true],
  ])('counts %s and %s as one source: %s', (one, other, isSame) => {
    const { attempts } = setup(1);
    attempts.note(one);
    expect(attempts.note(other) !== undefined).toBe(isSame);
  });

  it('remembers a bounded number of sources, the latest', () => {
    const { attempts } = setup(1);
    for (let n = 0; n < 12_000; n++) {
      attempts.note(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    }
    expect(attempts.rememberedSources).toBe(10_000);
    expect(attempts.note('10.0.46.223')).toBe(10);
    expect(attempts.note('10.0.0.0')).toBeUndefined();
  });
});
