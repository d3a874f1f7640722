import type { Contestant } from '../contestants/contestant.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureLatency, withWorker } from '../harness/measure-latency.ts';
import { monotonicMs } from '../harness/monotonic-clock.ts';
import type { Child } from '../harness/start-child.ts';
import { describeTableSizes, readTableSizes } from '../harness/table-sizes.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';

const SECONDS = 20 * 60;
const SLICE_SECONDS = 15;
const QUARTERS = 4;
const CLIENTS = 16;
const CAPACITY_EVENTS = 10_000;
const ARRIVAL_TIMEOUT_MS = 300_000;

/** Memory, latency and table sizes over 20 minutes of half the load that publisher and worker carry together. */
export const soak: Work = {
  name: 'soak',
  isByNameOnly: true,
  rounds: 1,
  measure: (bench) =>
    withPublisher(bench, 'ours', {}, (publisher, database) =>
      withWorker(bench, 'ours', database, {}, async (worker) => {
        const perSecond = Math.round((await measureCapacity(bench, publisher)) / 2);
        const slices = Math.max(1, Math.round(bench.scaled(SECONDS) / SLICE_SECONDS / QUARTERS));
        const samples: Sample[] = [];
        for (let quarter = 1; quarter <= QUARTERS; quarter++) {
          bench.log(`quarter ${quarter} of ${QUARTERS} at ${perSecond} events per second`);
          for (let round = 1; round <= slices; round++) {
            const figures = await measureSlice(bench, publisher, worker, perSecond);
            samples.push({ round, contestant: `quarter ${quarter}`, figures });
          }
          const figures = await readTableSizes(database.url);
          samples.push({ round: 1, contestant: `tables after quarter ${quarter}`, figures });
        }
        return samples;
      }),
    ),
  judge: (samples) => [
    verdict(samples, 'resident memory', 'residentMb', 'MB', { atMost: 1.1 }),
    verdict(samples, 'commit to receipt, p99', 'p99', 'ms', { atMost: 1.1 }),
    verdict(samples, 'commit to receipt, p50', 'p50', 'ms'),
  ],
  describe: (samples) => {
    const sizes = (quarter: number) =>
      samples.find(({ contestant }) => contestant === `tables after quarter ${quarter}`)!.figures;
    return describeTableSizes('after the first quarter', sizes(1), 'at the end', sizes(QUARTERS));
  },
};

/** Events per second that are published one per transaction, as fast as possible, and delivered beside it. */
async function measureCapacity(bench: Bench, publisher: Child<Contestant>): Promise<number> {
  const count = bench.scaled(CAPACITY_EVENTS);
  const load = { clients: CLIENTS, transactions: count, eventsPerTransaction: 1 };
  await bench.sink.call('reset', { secret: SECRET });
  await publisher.call('publish', load);
  const startMs = monotonicMs();
  await publisher.call('publish', load);
  await bench.sink.call('arrived', { count: 2 * count, timeoutMs: ARRIVAL_TIMEOUT_MS });
  return (count / (monotonicMs() - startMs)) * 1000;
}

async function measureSlice(
  bench: Bench,
  publisher: Child<Contestant>,
  worker: Child<Contestant>,
  perSecond: number,
): Promise<Record<string, number>> {
  const latency = await measureLatency(bench, publisher, { perSecond, count: perSecond * SLICE_SECONDS }, 0);
  return { ...latency, residentMb: (await worker.call('residentBytes')) / 2 ** 20 };
}

function verdict(
  samples: readonly Sample[],
  what: string,
  figure: string,
  unit: string,
  target?: Verdict['target'],
): Verdict {
  const show = (contestant: string) => `${medianOf(samples, contestant, figure).toFixed(1)} ${unit}`;
  return {
    work: `soak: ${what}`,
    compares: 'last quarter : second quarter',
    ratio: ratioOf(samples, figure, 'quarter 4', 'quarter 2'),
    target,
    figures: [1, 2, 3, 4].map((quarter) => show(`quarter ${quarter}`)).join(', '),
  };
}
