import type { ContestantName, Setup } from '../contestants/contestant.ts';
import type { rawUndici } from '../contestants/raw-undici.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureDrain, WARM_UP } from '../harness/measure-drain.ts';
import { startChild } from '../harness/start-child.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';

export const EVENTS = 20_000;
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
    const compare = (contestant: string, to: string, target?: Verdict['target']): Verdict => ({
      work: 'drain',
      compares: `${contestant} : ${to}`,
      ratio: ratioOf(samples, 'perSecond', contestant, to),
      target,
      figures,
    });
    return [compare('ours', better, { atLeast: 0.8 }), ...names.map((name) => compare(name, 'raw undici'))];
  },
};

export function drainAll(
  bench: Bench,
  name: ContestantName,
  setup: Partial<Setup> = {},
): Promise<Record<string, number>> {
  return withPublisher(bench, name, setup, (publisher, database) =>
    measureDrain(bench, {
      name,
      database,
      setup,
      count: bench.scaled(EVENTS),
      fill: (count) => publisher.call('fill', { count }),
    }),
  );
}

async function postRaw(bench: Bench): Promise<Record<string, number>> {
  const [after, count] = [bench.scaled(WARM_UP), bench.scaled(EVENTS)];
  const poster = startChild<typeof rawUndici>(new URL('../contestants/raw-undici.ts', import.meta.url));
  try {
    await bench.sink.call('reset', { secret: SECRET });
    await poster.call('post', { sinkUrl: bench.sinkUrl, secret: SECRET, count: after + count });
    const elapsedMs = await bench.sink.call('drained', { after, count, timeoutMs: 1_000 });
    return { perSecond: (count / elapsedMs) * 1000 };
  } finally {
    await poster.stop();
  }
}
