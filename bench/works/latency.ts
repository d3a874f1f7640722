import type { ContestantName } from '../contestants/contestant.ts';
import type { KernelSetup, Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureLatency, withWorker } from '../harness/measure-latency.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';

const PER_SECOND = 50;
const SECONDS = 20;
const IN_PROCESS = 'ours, one process';

/** Latency from the acknowledged commit to the sink, with pauses between the events: the time to wake a worker. */
export const latency: Work = {
  name: 'latency',
  measure: async (bench, round) => {
    const samples: Sample[] = [];
    for (const contestant of ['ours', 'graphile-worker', 'pg-boss'] as const) {
      samples.push({ round, contestant, figures: await twoProcesses(bench, contestant) });
    }
    samples.push({ round, contestant: IN_PROCESS, figures: await oneProcess(bench) });
    return samples;
  },
  judge: (samples) => [
    verdict(samples, 'ours', 'p50', { atMost: 1.3 }),
    verdict(samples, 'ours', 'p95', undefined),
    verdict(samples, 'ours', 'p99', { atMost: 1.3 }),
    verdict(samples, IN_PROCESS, 'p50', undefined),
    verdict(samples, IN_PROCESS, 'p99', undefined),
    verdict(samples, 'pg-boss', 'p50', undefined),
    verdict(samples, 'pg-boss', 'p99', undefined),
  ],
};

function load(bench: Bench) {
  return { perSecond: PER_SECOND, count: PER_SECOND * bench.scaled(SECONDS) };
}

function twoProcesses(bench: Bench, name: ContestantName): Promise<Record<string, number>> {
  const setup = { isNotifying: true };
  return withPublisher(bench, name, setup, (publisher, database) =>
    withWorker(bench, name, database, setup, () => measureLatency(bench, publisher, load(bench))),
  );
}

/** Publishing and delivering in the same process, as a small host runs it. */
function oneProcess(bench: Bench): Promise<Record<string, number>> {
  return withPublisher<Ours, KernelSetup, Record<string, number>>(bench, 'ours', {}, async (host, database) => {
    await host.call('close');
    await host.call('work', {
      databaseUrl: database.url,
      sinkUrl: bench.sinkUrl,
      secret: '',
      options: { role: 'all' },
    });
    return measureLatency(bench, host, load(bench));
  });
}

function verdict(samples: readonly Sample[], name: string, figure: string, target: Verdict['target']): Verdict {
  const ms = (contestant: string) => medianOf(samples, contestant, figure).toFixed(1);
  return {
    work: `commit to receipt, ${figure}`,
    compares: `${name} : graphile-worker`,
    ratio: ratioOf(samples, figure, name, 'graphile-worker'),
    target,
    figures: `${ms(name)} ms, graphile-worker ${ms('graphile-worker')} ms`,
  };
}
