import type { Stats } from '../connection/answers.ts';
import { sayCount, sayMs, sayShare } from '../elements/say-number.ts';
import { Tile } from './tile.tsx';

/** Sums over the chosen window; events are published to nobody in particular, so one endpoint has none of them. */
export function TotalTiles({ stats: { totals }, isOfEndpoint = false }: { stats: Stats; isOfEndpoint?: boolean }) {
  const { successRate, latencyMs } = totals;
  return (
    <section class="tiles" aria-label="In the chosen window">
      {!isOfEndpoint && <Tile label="Published" value={sayCount(totals.published)} />}
      <Tile label="Delivered" value={sayCount(totals.delivered)} />
      {isOfEndpoint && <Tile label="Failed attempts" value={sayCount(totals.failedAttempts)} />}
      <Tile
        label="Success rate"
        value={successRate === null ? '–' : sayShare(successRate)}
        tone={successRate !== null && successRate < 0.95 ? 'warn' : undefined}
      />
      <Tile label="Latency p50" value={latencyMs ? sayMs(latencyMs.p50) : '–'} />
      <Tile label="Latency p95" value={latencyMs ? sayMs(latencyMs.p95) : '–'} />
      <Tile label="Latency p99" value={latencyMs ? sayMs(latencyMs.p99) : '–'} />
    </section>
  );
}
