import { contestants } from '../contestants/contestant.ts';
import type { Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import type { BenchDatabase } from '../harness/databases.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import { startChild } from '../harness/start-child.ts';
import type { Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';
import { drainAll } from './drain.ts';

const SETTLED = 1_000_000;
const WAITING = 200_000;
const COUNTED = 20_000;

let seeded: BenchDatabase | undefined;

/** Drain rate with a million finished deliveries in the tables and a backlog ten times as long. */
export const backlog: Work = {
  name: 'backlog',
  prepare: async (bench) => {
    bench.log(`seeding ${bench.scaled(SETTLED)} settled and ${bench.scaled(WAITING)} waiting`);
    const database = (seeded = await bench.databases.create());
    const seeder = startChild<Ours>(contestants.ours);
    await seeder.call('prepare', { databaseUrl: database.url, sinkUrl: bench.sinkUrl, secret: SECRET });
    await seeder.call('seedSettled', bench.scaled(SETTLED));
    await seeder.call('fill', { count: bench.scaled(WAITING) });
    await seeder.call('close');
    await seeder.stop();
  },
  measure: async (bench, round) => [
    { round, contestant: 'ours', figures: await drainAll(bench, 'ours') },
    { round, contestant: 'ours with backlog', figures: await drainFirst(bench) },
  ],
  judge: (samples) => {
    const rate = (contestant: string) => Math.round(medianOf(samples, contestant, 'perSecond'));
    return [
      {
        work: 'drain with 1,000,000 settled behind, first 20,000 of 200,000 waiting',
        compares: 'ours : ours plain',
        ratio: ratioOf(samples, 'perSecond', 'ours with backlog', 'ours'),
        target: { atLeast: 0.9 },
        figures: `${rate('ours with backlog')}/s, plain ${rate('ours')}/s`,
      },
    ];
  },
};

async function drainFirst(bench: Bench): Promise<Record<string, number>> {
  const database = await bench.databases.create(seeded!.name);
  try {
    return await measureDrain(bench, { name: 'ours', database, count: bench.scaled(COUNTED) });
  } finally {
    await database.drop();
  }
}
