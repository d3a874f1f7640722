import { jest } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { resolveConfig } from '../../eventbus.config.js';
import { waitFor } from '../../testing/wait-for.js';
import { AdaptivePolling } from './adaptive-polling.js';
import { Random } from '@kernel/runtime';
import { WakeUp } from '../../runtime/wake-up.js';

const NEVER_MS = 1_000_000;

function setup(minIntervalMs: number, maxIntervalMs = minIntervalMs) {
  const scheduler = new SchedulerRegistry();
  const wakeUp = new WakeUp();
  const config = resolveConfig({ masterKey: 'k', polling: { minIntervalMs, maxIntervalMs } });
  return { scheduler, wakeUp, polling: new AdaptivePolling(scheduler, wakeUp, new Random(), config) };
}

class FixedRandom extends Random {
  constructor(private readonly value: number) {
    super();
  }

  override fraction(): number {
    return this.value;
  }
}

/** Pauses between polls, measured with fake timers; `finds` tells which polls find work. */
async function pausesMs(fraction: number, finds: (look: number) => boolean = () => false): Promise<number[]> {
  jest.useFakeTimers();
  try {
    const config = resolveConfig({ masterKey: 'k' });
    const polling = new AdaptivePolling(new SchedulerRegistry(), new WakeUp(), new FixedRandom(fraction), config);
    const looks: number[] = [];
    polling.start('test', () => Promise.resolve(finds(looks.push(Date.now()))));
    await jest.advanceTimersByTimeAsync(12_000);
    await polling.stop();
    return looks.slice(1, 8).map((time, place) => time - looks[place]!);
  } finally {
    jest.useRealTimers();
  }
}

describe('AdaptivePolling', () => {
  it.each([
    [0, [500, 750, 1_125, 1_687, 2_000, 2_000, 2_000]],
    [0.5, [550, 825, 1_237, 1_856, 2_000, 2_000, 2_000]],
    [0.9, [590, 885, 1_327, 1_991, 2_000, 2_000, 2_000]],
  ])(
    '[ADR-1] pauses for 500 ms and, while it finds nothing, longer and longer up to 2 s, with jitter of 20 %% times %d',
    async (fraction, pauses) => {
      expect(await pausesMs(fraction)).toEqual(pauses);
    },
  );

  it('[ADR-1] begins with 500 ms again after it found work, and looks at once where there may be more', async () => {
    expect(await pausesMs(0, (look) => look === 4)).toEqual([500, 750, 1_125, 0, 500, 750, 1_125]);
  });

  it('[ADR-1] begins with 500 ms again after it was told that there is work', async () => {
    jest.useFakeTimers();
    const config = resolveConfig({ masterKey: 'k' });
    const polling = new AdaptivePolling(new SchedulerRegistry(), new WakeUp(), new FixedRandom(0), config);
    const looks: number[] = [];
    polling.start('test', () => Promise.resolve(looks.push(Date.now()) < 0));
    await jest.advanceTimersByTimeAsync(3_000);
    polling.lookAgain();
    await jest.advanceTimersByTimeAsync(1_000);
    await polling.stop();
    jest.useRealTimers();
    expect(looks.map((time) => time - looks[0]!)).toEqual([0, 500, 1_250, 2_375, 3_000, 3_500]);
  });

  it('looks at the start, and again by itself', async () => {
    const { polling } = setup(1);
    let looks = 0;
    polling.start('test', () => Promise.resolve(++looks < 0));
    await waitFor(() => looks >= 5, 'five looks');
    await polling.stop();
  });

  it('looks again at once while there is work', async () => {
    const { polling } = setup(NEVER_MS);
    let looks = 0;
    polling.start('test', () => Promise.resolve(++looks < 10));
    await waitFor(() => looks === 10, 'ten looks');
    await polling.stop();
  });

  it.each(Array.from({ length: 12 }, (_, microtasks) => microtasks))(
    'loses no nudge that comes %i microtasks after the last look ended',
    async (microtasks) => {
      const { polling, wakeUp } = setup(NEVER_MS);
      let looks = 0;
      polling.start('test', async () => {
        looks++;
        if (looks === 1) {
          void nudgeAfter(microtasks, wakeUp);
        }
        return Promise.resolve(false);
      });
      await waitFor(() => looks === 2, 'the look that was nudged');
      await polling.stop();
    },
  );

  it('goes on after a look that failed', async () => {
    const { polling } = setup(1);
    let looks = 0;
    polling.start('test', () =>
      ++looks === 1 ? Promise.reject(new Error('database is away')) : Promise.resolve(false),
    );
    await waitFor(() => looks >= 2, 'the look after the failed one');
    await polling.stop();
  });

  it('is scheduled in the registry, and gone from it when it stopped', async () => {
    const { polling, scheduler } = setup(NEVER_MS);
    polling.start('test', () => Promise.resolve(false));
    await waitFor(() => scheduler.getTimeouts().includes('test'), 'the scheduled look');
    await polling.stop();
    expect(scheduler.getTimeouts()).toEqual([]);
  });
});

async function nudgeAfter(microtasks: number, wakeUp: WakeUp): Promise<void> {
  for (let n = 0; n < microtasks; n++) {
    await Promise.resolve();
  }
  wakeUp.nudge();
}
