import { setTimeout as delay } from 'node:timers/promises';
import type { Setup } from '../contestants/contestant.ts';
import type { Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { withWorker } from '../harness/measure-latency.ts';
import { median } from '../harness/statistics.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';

const FEW = 20_000;
const MANY = 200_000;
/** Slow enough for the smaller backlog to last: at most 64 in flight every 60 ms, for twelve seconds. */
const ANSWER_DELAY_MS = 60;
const WARM_UP_MS = 4_000;
const WATCHED_MS = 8_000;
const LOOK_EVERY_MS = 200;

/** The worker's resident set with a long and a short backlog, at the same delivery rate. */
export const memory: Work = {
  name: 'memory',
  measure: async (bench, round) => [
    { round, contestant: '20,000 waiting', figures: await watch(bench, FEW) },
    { round, contestant: '200,000 waiting', figures: await watch(bench, MANY) },
  ],
  judge: (samples) => {
    const megabytes = (contestant: string) => medianOf(samples, contestant, 'residentMb').toFixed(0);
    return [
      {
        work: 'memory with 200,000 waiting',
        compares: '200,000 : 20,000 waiting',
        ratio: ratioOf(samples, 'residentMb', '200,000 waiting', '20,000 waiting'),
        target: { atMost: 1.25 },
        figures: `${megabytes('200,000 waiting')} MB, ${megabytes('20,000 waiting')} MB`,
      },
    ];
  },
};

function watch(bench: Bench, waiting: number): Promise<Record<string, number>> {
  return withPublisher<Ours, Setup, Record<string, number>>(bench, 'ours', {}, async (publisher, database) => {
    await publisher.call('fill', { count: bench.scaled(waiting) });
    await bench.sink.call('reset', { secret: SECRET, delayMs: ANSWER_DELAY_MS });
    return withWorker(bench, 'ours', database, {}, async (worker) => {
      await delay(WARM_UP_MS);
      const resident: number[] = [];
      for (let watchedMs = 0; watchedMs < WATCHED_MS; watchedMs += LOOK_EVERY_MS) {
        resident.push((await worker.call('residentBytes')) / 2 ** 20);
        await delay(LOOK_EVERY_MS);
      }
      const { distinct } = await bench.sink.call('receipts');
      return { residentMb: median(resident), peakMb: Math.max(...resident), delivered: distinct };
    });
  });
}
