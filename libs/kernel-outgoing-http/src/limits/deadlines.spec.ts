import { jest } from '@jest/globals';
import { Deadlines } from './deadlines.js';

interface Work {
  expire(): void;
  expired: Promise<number>;
}

function work(): Work {
  const { promise, resolve } = Promise.withResolvers<number>();
  return { expire: () => resolve(performance.now()), expired: promise };
}

describe('Deadlines', () => {
  it('expires work after its time, never before', async () => {
    const deadlines = new Deadlines();
    const startedAt = performance.now();
    const works = [70, 30, 50].map((timeoutMs) => {
      const one = work();
      deadlines.add(one, timeoutMs);
      return { ...one, timeoutMs };
    });
    for (const { expired, timeoutMs } of works) {
      expect((await expired) - startedAt).toBeGreaterThanOrEqual(timeoutMs);
    }
  });

  it('does not expire work that was removed, and goes on with the others', async () => {
    const deadlines = new Deadlines();
    const [removed, staying] = [work(), work()];
    let isExpired = false;
    void removed.expired.then(() => (isExpired = true));
    const tick = deadlines.add(removed, 30);
    deadlines.add(staying, 60);
    deadlines.remove(removed, tick);
    await staying.expired;
    expect(isExpired).toBe(false);
  });

  it('works again after it has been empty', async () => {
    const deadlines = new Deadlines();
    for (let round = 0; round < 2; round++) {
      const one = work();
      deadlines.add(one, 10);
      expect(await one.expired).toBeGreaterThan(0);
    }
  });

  it('goes on after work that throws', () => {
    jest.useFakeTimers();
    const deadlines = new Deadlines();
    const expired: string[] = [];
    const fault = () => {
      throw new Error('a fault of the work');
    };
    deadlines.add({ expire: fault }, 10);
    deadlines.add({ expire: () => expired.push('soon') }, 100);
    expect(() => jest.advanceTimersByTime(60)).toThrow('a fault of the work');
    jest.advanceTimersByTime(100);
    deadlines.add({ expire: () => expired.push('late') }, 10);
    jest.advanceTimersByTime(60);
    jest.useRealTimers();
    expect(expired).toEqual(['soon', 'late']);
  });
});
