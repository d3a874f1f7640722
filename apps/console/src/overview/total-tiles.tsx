import type { Stats } from '../connection/responses.ts';
import { formatCount, formatMs, formatShare } from '../elements/format-number.ts';
import { Tile } from './tile.tsx';

/** Totals of the chosen window. Events are not published to an endpoint, so one endpoint has no event count. */
export function TotalTiles({ stats: { totals }, isOfEndpoint = false }: { stats: Stats; isOfEndpoint?: boolean }) {
  const { successRate, latencyMs } = totals;
  return (
    <section class="tiles" aria-label="In the chosen window">
      {!isOfEndpoint && <Tile label="Published" value={formatCount(totals.published)} />}
      <Tile label="Delivered" value={formatCount(totals.delivered)} />
      {isOfEndpoint && <Tile label="Failed attempts" value={formatCount(totals.failedAttempts)} />}
      <Tile
        label="Success rate"
        value={successRate === null ? '–' : formatShare(successRate)}
        tone={successRate !== null && successRate < 0.95 ? 'warn' : undefined}
      />
      <Tile label="Latency p50" value={latencyMs ? formatMs(latencyMs.p50) : '–'} />
      <Tile label="Latency p95" value={latencyMs ? formatMs(latencyMs.p95) : '–'} />
      <Tile label="Latency p99" value={latencyMs ? formatMs(latencyMs.p99) : '–'} />
    </section>
  );
}
