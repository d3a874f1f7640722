import type { KernelSetup, Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/databases.ts';
import { withHeldSnapshot } from '../harness/hold-snapshot.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import type { Child } from '../harness/start-child.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';
import { measurePublish } from './publish.ts';

/** Longer than the plain drain: rows that a snapshot keeps from being vacuumed add up. */
const EVENTS = 60_000;
/** Measured that often, plain and grown in turns, after one seeding. */
const TURNS = 3;
/** The history is older than the default retention, and its seals are not those of its entries. */
const options: KernelSetup['options'] = {
  retention: { publishedDays: 60, deliveryDays: 60 },
  verification: { intervalMs: 86_400_000 },
};

interface Past {
  name: string;
  settled: number;
  holdsSnapshot: boolean;
  target: Verdict['target'];
}

const PASTS: Past[] = [
  { name: 'held snapshot', settled: 0, holdsSnapshot: true, target: { atLeast: 0.9 } },
  { name: '1,000,000 settled', settled: 1_000_000, holdsSnapshot: false, target: undefined },
  { name: '10,000,000 settled', settled: 10_000_000, holdsSnapshot: false, target: { atLeast: 0.95 } },
];

const plainBeside = (name: string) => `plain, beside ${name}`;

/** Drain, claim and publish with history in 35 partitions, or with a snapshot held as `pg_dump` holds it. */
export const growth: Work = {
  name: 'growth',
  isByNameOnly: true,
  rounds: 1,
  measure: async (bench) => {
    const samples: Sample[] = [];
    for (const past of PASTS) {
      await withDatabase(bench, async (publisher, database) => {
        if (past.settled > 0) {
          bench.log(`seeding ${bench.scaled(past.settled)} settled deliveries`);
          await publisher.call('seedSettled', bench.scaled(past.settled));
          bench.log(`seeded: ${Math.round((await bench.databases.sizeOf(database)) / 2 ** 20)} MB`);
        }
        for (let round = 1; round <= TURNS; round++) {
          bench.log(`${past.name}, turn ${round} of ${TURNS}`);
          const plain = await withDatabase(bench, (...fresh) => measureOn(bench, ...fresh));
          samples.push({ round, contestant: plainBeside(past.name), figures: plain });
          const measure = () => measureOn(bench, publisher, database);
          const figures = await (past.holdsSnapshot ? withHeldSnapshot(database.url, measure) : measure());
          samples.push({ round, contestant: past.name, figures });
        }
      });
    }
    return samples;
  },
  judge: (samples) =>
    PASTS.flatMap(({ name, target }) => [
      verdict(samples, name, 'drain', 'perSecond', '/s', target),
      verdict(samples, name, 'claim, server time per event', 'claimUs', ' us'),
      verdict(samples, name, 'publish, one event per transaction', 'publishMs', ' ms'),
    ]),
};

function withDatabase<T>(bench: Bench, work: (publisher: Child<Ours>, database: BenchDatabase) => Promise<T>) {
  return withPublisher<Ours, KernelSetup, T>(bench, 'ours', {}, work);
}

async function measureOn(
  bench: Bench,
  publisher: Child<Ours>,
  database: BenchDatabase,
): Promise<Record<string, number>> {
  const drained = await measureDrain<KernelSetup>(bench, {
    name: 'ours',
    database,
    setup: { options },
    count: bench.scaled(EVENTS),
    fill: (count) => publisher.call('fill', { count }),
    measuresClaims: true,
  });
  const published = await measurePublish(bench, publisher, [1]);
  return { ...drained, publishMs: published.get(1)! };
}

function verdict(
  samples: readonly Sample[],
  name: string,
  step: string,
  figure: string,
  unit: string,
  target?: Verdict['target'],
): Verdict {
  const show = (contestant: string) => `${Number(medianOf(samples, contestant, figure).toPrecision(3))}${unit}`;
  return {
    work: `growth: ${step}`,
    compares: `${name} : plain`,
    ratio: ratioOf(samples, figure, name, plainBeside(name)),
    target,
    figures: `${show(name)}, plain ${show(plainBeside(name))}`,
  };
}
