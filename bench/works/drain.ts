import { monotonicMs } from '../harness/monotonic-clock.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import { startChild } from '../harness/start-child.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Work } from '../harness/work.ts';
import type { ContestantName } from '../contestants/contestant.ts';
import type { rawUndici } from '../contestants/raw-undici.ts';
import { SECRET } from '../webhook/event.ts';

const EVENTS = 20_000;
const names: ContestantName[] = ['ours', 'graphile-worker', 'pg-boss'];

/** Delivery rate of committed events of one tenant for one internal endpoint. */
export const drain: Work = {
  name: 'drain',
  measure: async (bench, round) => {
    const samples: Sample[] = [];
    for (const contestant of names) {
      samples.push({ round, contestant, figures: await drainAll(bench, contestant) });
    }
    samples.push({ round, contestant: 'raw undici', figures: await postRaw(bench) });
    return samples;
  },
  judge: (samples) => {
    const rate = (contestant: string) => medianOf(samples, contestant, 'perSecond');
    const better = rate('graphile-worker') > rate('pg-boss') ? 'graphile-worker' : 'pg-boss';
    const figures = [...names, 'raw undici'].map((name) => `${name} ${Math.round(rate(name))}/s`).join(', ');
    const compare = (contestant: string, to: string) => ratioOf(samples, 'perSecond', contestant, to);
    return [
      {
        work: 'drain',
        compares: `ours : ${better}`,
        ratio: compare('ours', better),
        target: { atLeast: 1.2 },
        figures,
      },
      {
        work: 'drain',
        compares: 'ours : raw',
        ratio: compare('ours', 'raw undici'),
        target: { atLeast: 0.6 },
        figures,
      },
      ...(['graphile-worker', 'pg-boss'] as const).map((peer) => ({
        work: 'drain',
        compares: `${peer} : raw`,
        ratio: compare(peer, 'raw undici'),
        target: undefined,
        figures,
      })),
    ];
  },
};

export function drainAll(bench: Bench, name: ContestantName): Promise<Record<string, number>> {
  const count = bench.scaled(EVENTS);
  return withPublisher(bench, name, {}, async (publisher, database) => {
    await publisher.call('fill', { count });
    return measureDrain(bench, { name, database, count });
  });
}

async function postRaw(bench: Bench): Promise<Record<string, number>> {
  const count = bench.scaled(EVENTS);
  const poster = startChild<typeof rawUndici>(new URL('../contestants/raw-undici.ts', import.meta.url));
  await bench.sink.call('reset', { secret: SECRET });
  const startMs = monotonicMs();
  await poster.call('post', { sinkUrl: bench.sinkUrl, secret: SECRET, count });
  const elapsedMs = await bench.sink.call('drained', { count, timeoutMs: 1_000 });
  await poster.stop();
  return { perSecond: ((count - 1) / elapsedMs) * 1000, wholeMs: monotonicMs() - startMs };
}
