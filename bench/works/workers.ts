import { type Setup, contestants } from '../contestants/contestant.ts';
import type { Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { cpuSecondsOf, cpuSecondsOfPostgres } from '../harness/cpu-time.ts';
import type { BenchDatabase } from '../harness/databases.ts';
import { startChild } from '../harness/start-child.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Verdict, Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';

const EVENTS = 20_000;
const DRAIN_TIMEOUT_MS = 300_000;
const PROCESSES = [1, 2, 4];

/** An instant receiver, and one like over the internet, with which a worker waits more than it works. */
const RECEIVERS = [
  { name: 'quick receiver', delayMs: 0 },
  { name: 'receiver that takes 100 ms', delayMs: 100 },
];

const nameOf = (processes: number, receiver: string) => `${processes} x ${receiver}`;

/** Gain from more worker processes on the same machine and database, for docs/scale.md. There is no target. */
export const workers: Work = {
  name: 'workers',
  measure: async (bench, round) => {
    const samples = [];
    for (const { name, delayMs } of RECEIVERS) {
      for (const processes of PROCESSES) {
        const figures = await drainWith(bench, processes, delayMs);
        samples.push({ round, contestant: nameOf(processes, name), figures });
      }
    }
    return samples;
  },
  judge: (samples) =>
    RECEIVERS.flatMap(({ name }) =>
      PROCESSES.map((processes): Verdict => {
        const contestant = nameOf(processes, name);
        const figure = (figure: string) => Math.round(medianOf(samples, contestant, figure));
        return {
          work: `workers, ${name}`,
          compares: `${processes} : 1 process`,
          ratio: ratioOf(samples, 'perSecond', contestant, nameOf(1, name)),
          target: undefined,
          figures: `${figure('perSecond')}/s; CPU per event: workers ${figure('workerUs')} us, PostgreSQL ${figure('postgresUs')} us, sink ${figure('sinkUs')} us`,
        };
      }),
    ),
};

function drainWith(bench: Bench, processes: number, delayMs: number): Promise<Record<string, number>> {
  const count = bench.scaled(EVENTS);
  return withPublisher<Ours, Setup, Record<string, number>>(bench, 'ours', {}, async (publisher, database) => {
    await publisher.call('fill', { count });
    await bench.databases.checkpoint();
    await bench.sink.call('reset', { secret: SECRET, delayMs });
    return drain(bench, { processes, count, database });
  });
}

interface Crowd {
  processes: number;
  count: number;
  database: BenchDatabase;
}

async function drain(bench: Bench, { processes, count, database }: Crowd): Promise<Record<string, number>> {
  const crowd = Array.from({ length: processes }, () => startChild<Ours>(contestants.ours));
  const setup = { databaseUrl: database.url, sinkUrl: bench.sinkUrl, secret: SECRET };
  const workerSeconds = () => crowd.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0);
  try {
    await Promise.all(crowd.map((worker) => worker.call('work', setup)));
    const alreadyArrived = (await bench.sink.call('receipts')).distinct;
    const before = { worker: workerSeconds(), postgres: cpuSecondsOfPostgres(), sink: cpuSecondsOf(bench.sink.pid) };
    const elapsedMs = await bench.sink.call('drained', { count, timeoutMs: DRAIN_TIMEOUT_MS });
    const perEvent = (seconds: number) => (seconds * 1e6) / (count - alreadyArrived);
    const figures = {
      perSecond: ((count - 1) / elapsedMs) * 1000,
      workerUs: perEvent(workerSeconds() - before.worker),
      postgresUs: perEvent(cpuSecondsOfPostgres() - before.postgres),
      sinkUs: perEvent(cpuSecondsOf(bench.sink.pid) - before.sink),
    };
    await Promise.all(crowd.map((worker) => worker.call('close')));
    return figures;
  } finally {
    await Promise.all(crowd.map((worker) => worker.stop()));
  }
}
