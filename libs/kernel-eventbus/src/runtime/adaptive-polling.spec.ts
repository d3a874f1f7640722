import { SchedulerRegistry } from '@nestjs/schedule';
import { resolveConfig } from '../eventbus.options.js';
import { waitFor } from '../testing/wait-for.js';
import { AdaptivePolling } from './adaptive-polling.js';
import { Chance } from './chance.js';
import { WakeUp } from './wake-up.js';

const NEVER_MS = 1_000_000;

function setup(minIntervalMs: number, maxIntervalMs = minIntervalMs) {
  const scheduler = new SchedulerRegistry();
  const wakeUp = new WakeUp();
  const config = resolveConfig({ masterKey: 'k', polling: { minIntervalMs, maxIntervalMs } });
  return { scheduler, wakeUp, polling: new AdaptivePolling(scheduler, wakeUp, new Chance(), config) };
}

describe('AdaptivePolling', () => {
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
