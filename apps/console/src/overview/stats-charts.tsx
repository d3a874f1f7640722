import { useMemo } from 'preact/hooks';
import type { Stats, Step } from '../connection/responses.ts';
import { Chart, type Line } from '../elements/chart.tsx';
import { Panel } from '../elements/panel.tsx';
import { formatCount, formatMs, formatPlural } from '../elements/format-number.ts';

/** Deliveries and latency over the window, of one endpoint or of all. */
export function StatsCharts({ stats, isOfEndpoint = false }: { stats: Stats; isOfEndpoint?: boolean }) {
  const { series, totals } = stats;
  const { times, counts, latencies } = useMemo(() => toLines(series, isOfEndpoint), [series]);
  const p95 = totals.latencyMs ? `, p95 ${formatMs(totals.latencyMs.p95)}` : '';
  return (
    <div class="columns">
      <Panel title={`Deliveries per ${formatStep(stats.stepSeconds)}`}>
        <Chart
          label={`${formatPlural(totals.delivered, 'delivery', 'deliveries')}, ${formatPlural(totals.failedAttempts, 'failed attempt')}`}
          times={times}
          lines={counts}
          formatValue={formatCount}
        />
      </Panel>
      <Panel title="How long endpoints took">
        <Chart label={`How long endpoints took${p95}`} times={times} lines={latencies} formatValue={formatMs} />
      </Panel>
    </div>
  );
}

function toLines(
  series: readonly Step[],
  isOfEndpoint: boolean,
): { times: number[]; counts: Line[]; latencies: Line[] } {
  const latency = (name: 'p50' | 'p95' | 'p99') => series.map(({ latencyMs }) => latencyMs?.[name] ?? null);
  return {
    times: series.map(({ at }) => Date.parse(at) / 1_000),
    counts: [
      { label: 'delivered', colour: '--accent', isFilled: true, values: series.map(({ delivered }) => delivered) },
      ...(isOfEndpoint
        ? []
        : [{ label: 'published', colour: '--muted', values: series.map(({ published }) => published) }]),
      { label: 'failed', colour: '--chart-warn', values: series.map(({ failedAttempts }) => failedAttempts) },
      { label: 'dead', colour: '--chart-bad', values: series.map(({ deadLettered }) => deadLettered) },
    ],
    latencies: [
      { label: 'p50', colour: '--chart-good', values: latency('p50') },
      { label: 'p95', colour: '--accent', values: latency('p95') },
      { label: 'p99', colour: '--chart-warn', values: latency('p99') },
    ],
  };
}

function formatStep(seconds: number): string {
  return seconds < 3_600 ? (seconds === 60 ? 'minute' : `${seconds / 60} minutes`) : `${seconds / 3_600} hours`;
}
