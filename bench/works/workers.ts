import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Verdict, Work } from '../harness/work.ts';

const EVENTS = 20_000;

/** An instant receiver, and one like over the internet, with which a worker waits more than it works. */
const RECEIVERS = [
  { name: 'quick receiver', delayMs: 0 },
  { name: 'receiver that takes 100 ms', delayMs: 100 },
];

interface Crowd {
  processes: number;
  /** Ratio to one process, with the slow receiver. The quick one only measures the machine's cores. */
  atLeast?: number;
}

const CROWDS: Crowd[] = [{ processes: 1 }, { processes: 2, atLeast: 1.9 }, { processes: 4, atLeast: 3.4 }];

const nameOf = (processes: number, receiver: string) => `${processes} x ${receiver}`;

/** Gain from more worker processes on the same machine and database, for docs/scale.md. */
export const workers: Work = {
  name: 'workers',
  measure: async (bench, round) => {
    const samples = [];
    for (const { name, delayMs } of RECEIVERS) {
      for (const { processes } of CROWDS) {
        const figures = await drainWith(bench, processes, delayMs);
        samples.push({ round, contestant: nameOf(processes, name), figures });
      }
    }
    return samples;
  },
  judge: (samples) =>
    RECEIVERS.flatMap(({ name, delayMs }) =>
      CROWDS.map(({ processes, atLeast }): Verdict => {
        const contestant = nameOf(processes, name);
        const figure = (figure: string) => Math.round(medianOf(samples, contestant, figure));
        return {
          work: `workers, ${name}`,
          compares: `${processes} : 1 process`,
          ratio: ratioOf(samples, 'perSecond', contestant, nameOf(1, name)),
          target: atLeast !== undefined && delayMs > 0 ? { atLeast } : undefined,
          figures: `${figure('perSecond')}/s; CPU per event: workers ${figure('workerCpuUs')} us, PostgreSQL ${figure('postgresCpuUs')} us, sink ${figure('sinkCpuUs')} us`,
        };
      }),
    ),
};

function drainWith(bench: Bench, processes: number, delayMs: number): Promise<Record<string, number>> {
  return withPublisher(bench, 'ours', {}, (publisher, database) =>
    measureDrain(bench, {
      name: 'ours',
      database,
      processes,
      delayMs,
      count: bench.scaled(EVENTS),
      fill: (count) => publisher.call('fill', { count }),
    }),
  );
}
