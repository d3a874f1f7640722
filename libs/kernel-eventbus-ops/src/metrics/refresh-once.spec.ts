import { RefreshOnce } from './refresh-once.js';

describe('a refresh', () => {
  it('is shared by all who ask within an interval', async () => {
    let rounds = 0;
    const refresh = new RefreshOnce(async () => void rounds++, { intervalMs: 3_600_000, patienceMs: 60_000 });
    await Promise.all([refresh.fresh(), refresh.fresh(), refresh.fresh()]);
    await refresh.fresh();
    expect(rounds).toBe(1);
  });

  it('keeps nobody waiting who has waited long enough, and does not begin anew meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let rounds = 0;
    const work = () => {
      rounds++;
      return promise;
    };
    const refresh = new RefreshOnce(work, { intervalMs: 1, patienceMs: 1 });
    await refresh.fresh();
    await refresh.fresh();
    expect(rounds).toBe(1);
    resolve();
  });

  it('ends with the round under way when it is stopped, and begins no other', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let rounds = 0;
    let ended = false;
    const work = async () => {
      rounds++;
      await promise;
      ended = true;
    };
    const refresh = new RefreshOnce(work, { intervalMs: 1, patienceMs: 1 });
    await refresh.fresh();
    const stopped = refresh.stop();
    resolve();
    await stopped;
    expect(ended).toBe(true);
    await refresh.fresh();
    expect(rounds).toBe(1);
  });
});
