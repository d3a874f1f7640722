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
});
