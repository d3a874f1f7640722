import { medianOf } from '../harness/compare.ts';
import { measureDrain } from '../harness/measure-drain.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Bench } from '../harness/bench.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';
import { drawCharts } from '../plot/draw-charts.ts';
import { latencyBeside } from './dead-endpoint.ts';

const BACKLOGS = [1_000, 5_000, 20_000, 100_000];

const nameOf = (backlog: number) => `${backlog.toLocaleString('en')} waiting`;

/** Drain rate of backlogs by size, and latency of fresh events while such a backlog waits for another endpoint. */
export const curve: Work = {
  name: 'curve',
  isByNameOnly: true,
  measure: async (bench, round) => {
    const samples: Sample[] = [];
    for (const backlog of BACKLOGS) {
      const waiting = bench.scaled(backlog);
      const { perSecond } = await drainBacklog(bench, waiting);
      const { p50, p95 } = await latencyBeside(bench, 'hanging', waiting);
      const figures = { waiting, perSecond: perSecond!, p50: p50!, p95: p95! };
      samples.push({ round, contestant: nameOf(backlog), figures });
    }
    return samples;
  },
  judge: (samples) => [
    verdict(samples, 'drain rate', 'perSecond', '/s'),
    verdict(samples, 'commit to receipt of another endpoint, p50', 'p50', ' ms'),
    verdict(samples, 'commit to receipt of another endpoint, p95', 'p95', ' ms'),
  ],
  draw: (samples) => {
    const seriesOf = (name: string, figure: string) => ({
      name,
      points: BACKLOGS.map(nameOf).map((backlog) => ({
        x: medianOf(samples, backlog, 'waiting'),
        y: medianOf(samples, backlog, figure),
      })),
    });
    const xLabel = 'waiting deliveries (log scale)';
    return drawCharts([
      { title: 'Drain rate', xLabel, yLabel: 'deliveries per second', series: [seriesOf('ours', 'perSecond')] },
      {
        title: 'Latency beside the backlog of another endpoint',
        xLabel,
        yLabel: 'commit to receipt, ms',
        series: [seriesOf('p95', 'p95'), seriesOf('p50', 'p50')],
      },
    ]);
  },
};

function drainBacklog(bench: Bench, count: number): Promise<Record<string, number>> {
  return withPublisher(bench, 'ours', {}, (publisher, database) =>
    measureDrain(bench, {
      name: 'ours',
      database,
      count,
      fill: (total) => publisher.call('fill', { count: total }),
    }),
  );
}

function verdict(samples: readonly Sample[], what: string, figure: string, unit: string): Verdict {
  const median = (backlog: number) => medianOf(samples, nameOf(backlog), figure);
  return {
    work: `by backlog: ${what}`,
    compares: `${nameOf(BACKLOGS.at(-1)!)} : ${nameOf(BACKLOGS[0]!)}`,
    ratio: median(BACKLOGS.at(-1)!) / median(BACKLOGS[0]!),
    target: undefined,
    figures: BACKLOGS.map((backlog) => `${Number(median(backlog).toPrecision(3))}${unit}`).join(', '),
  };
}
