import { SchedulerRegistry } from '@nestjs/schedule';
import { waitFor } from '@kernel/eventbus/testing';
import { IntervalJob } from './interval-job.js';

describe('IntervalJob', () => {
  it('repeats its work until it is stopped, and leaves nothing scheduled', async () => {
    const scheduler = new SchedulerRegistry();
    let count = 0;
    const job = new IntervalJob(scheduler, 'test', async () => void count++);
    job.start(1);
    await waitFor(() => count >= 3, 'three runs');
    await job.stop();
    expect(scheduler.getIntervals()).toEqual([]);
  });

  it('does one round at a time, and stops only when the one under way has ended', async () => {
    const scheduler = new SchedulerRegistry();
    const gate = Promise.withResolvers<void>();
    const seen = { begun: 0, ended: 0 };
    const job = new IntervalJob(scheduler, 'test', async () => {
      seen.begun++;
      await gate.promise;
      seen.ended++;
    });
    job.start(1);
    await waitFor(() => seen.begun === 1, 'the first run');
    let ticks = 0;
    const clock = setInterval(() => ticks++, 1);
    await waitFor(() => ticks >= 5, 'the interval to have come round again');
    clearInterval(clock);
    const stopped = job.stop().then(() => ({ ...seen }));
    gate.resolve();
    expect(await stopped).toEqual({ begun: 1, ended: 1 });
  });

  it('can be stopped without having been started', async () => {
    await expect(
      new IntervalJob(new SchedulerRegistry(), 'test', async () => undefined).stop(),
    ).resolves.toBeUndefined();
  });
});
