import type { KernelSetup, Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Work } from '../harness/work.ts';

const EVENTS = 20_000;
const STREAMS = 2_000;

/** Strictly one after the other within each of many streams, against the same events without order. */
export const order: Work = {
  name: 'order',
  measure: async (bench, round) => {
    const unordered = await drainStreams(bench, 'none');
    const ordered = await drainStreams(bench, 'stream');
    if (ordered.outOfOrder! > 0) {
      throw new Error(`${ordered.outOfOrder} events came out of order`);
    }
    return [
      { round, contestant: 'ours unordered', figures: unordered },
      { round, contestant: 'ours ordered', figures: ordered },
    ];
  },
  judge: (samples) => {
    const rate = (contestant: string) => Math.round(medianOf(samples, contestant, 'perSecond'));
    return [
      {
        work: 'ordered drain over 2,000 streams',
        compares: 'ours ordered : unordered',
        ratio: ratioOf(samples, 'perSecond', 'ours ordered', 'ours unordered'),
        target: { atLeast: 0.8 },
        figures: `${rate('ours ordered')}/s, unordered ${rate('ours unordered')}/s`,
      },
    ];
  },
};

function drainStreams(bench: Bench, ordering: 'none' | 'stream'): Promise<Record<string, number>> {
  return withPublisher<Ours, KernelSetup, Record<string, number>>(bench, 'ours', { ordering }, (publisher, database) =>
    measureDrain(bench, {
      name: 'ours',
      database,
      count: bench.scaled(EVENTS),
      fill: (count) => publisher.call('fill', { count, streams: bench.scaled(STREAMS) }),
    }),
  );
}
