import type { Setup } from '../contestants/contestant.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';
import { drainAll } from './drain.ts';

const PEERS = ['graphile-worker', 'pg-boss'] as const;
type Peer = (typeof PEERS)[number];
type Job = NonNullable<Setup['job']>;

const JOBS: Record<Job, string> = { bare: 'bare', same: 'same job', 'same-with-fetch': 'same job with fetch' };
const jobs = Object.keys(JOBS) as Job[];

const nameOf = (peer: Peer, job: Job) => `${peer}, ${JOBS[job]}`;

/** Our drain against peers that look the endpoint up, keep a delivery record and add an audit row for each event. */
export const sameJob: Work = {
  name: 'same-job',
  measure: async (bench, round) => {
    const samples: Sample[] = [{ round, contestant: 'ours', figures: await drainAll(bench, 'ours') }];
    for (const job of jobs) {
      for (const peer of PEERS) {
        samples.push({ round, contestant: nameOf(peer, job), figures: await drainAll(bench, peer, { job }) });
      }
    }
    return samples;
  },
  judge: (samples) => {
    const better = PEERS.toSorted(
      (a, b) => rateOf(samples, nameOf(b, 'same')) - rateOf(samples, nameOf(a, 'same')),
    )[0]!;
    return (['same', 'same-with-fetch'] as const).map((job): Verdict => {
      const contestant = nameOf(better, job);
      return {
        work: `drain, ${JOBS[job]}`,
        compares: `ours : ${better}`,
        ratio: ratioOf(samples, 'perSecond', 'ours', contestant),
        target: { atLeast: 2 },
        figures: `${formatRate(samples, 'ours')}, ${better} ${formatRate(samples, contestant)}`,
      };
    });
  },
  describe: (samples) =>
    [
      `| drain | ${jobs.map((job) => `${JOBS[job]} | ours : ${JOBS[job]}`).join(' | ')} |`,
      `|---|${'---|---|'.repeat(jobs.length)}`,
      ...PEERS.map((peer) => `| ${peer} | ${jobs.map((job) => cellsOf(samples, nameOf(peer, job))).join(' | ')} |`),
      `| ours | ${jobs.map(() => `${formatRate(samples, 'ours')} | 1`).join(' | ')} |`,
    ].join('\n'),
};

function cellsOf(samples: readonly Sample[], contestant: string): string {
  return `${formatRate(samples, contestant)} | ${ratioOf(samples, 'perSecond', 'ours', contestant).toFixed(2)}`;
}

function formatRate(samples: readonly Sample[], contestant: string): string {
  return `${Math.round(rateOf(samples, contestant))}/s`;
}

function rateOf(samples: readonly Sample[], contestant: string): number {
  return medianOf(samples, contestant, 'perSecond');
}
