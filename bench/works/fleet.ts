import type { Setup } from '../contestants/contestant.ts';
import type { Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';
import { drainAll, EVENTS } from './drain.ts';

/** 20 tenants with 80 endpoints: a quarter each plain, ordered, external under a policy, with predicates. */
export const fleet: Work = {
  name: 'fleet',
  measure: async (bench, round) => {
    const plain = await drainAll(bench, 'ours');
    const mixed = await drainFleet(bench);
    if (mixed.outOfOrder! > 0) {
      throw new Error(`${mixed.outOfOrder} events came out of order`);
    }
    return [
      { round, contestant: 'ours', figures: plain },
      { round, contestant: 'ours, fleet', figures: mixed },
    ];
  },
  judge: (samples) => {
    const rate = (contestant: string) => Math.round(medianOf(samples, contestant, 'perSecond'));
    return [
      {
        work: 'drain of a fleet: 20 tenants, 80 endpoints of four kinds',
        compares: 'ours, fleet : ours plain',
        ratio: ratioOf(samples, 'perSecond', 'ours, fleet', 'ours'),
        target: { atLeast: 0.9 },
        figures: `${rate('ours, fleet')}/s, plain ${rate('ours')}/s`,
      },
    ];
  },
};

function drainFleet(bench: Bench): Promise<Record<string, number>> {
  return withPublisher<Ours, Setup, Record<string, number>>(bench, 'ours', {}, async (publisher, database) => {
    await publisher.call('addFleet', { url: bench.sinkUrl, secret: SECRET });
    return measureDrain(bench, {
      name: 'ours',
      database,
      count: bench.scaled(EVENTS),
      fill: (count) => publisher.call('fill', { count, isForFleet: true }),
    });
  });
}
