import type { Stats, StatsWindow } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { Choice } from '../elements/choice.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { changeQuery, query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { FirstSteps } from './first-steps.tsx';
import { LatestDeliveries } from './latest-deliveries.tsx';
import { LiveTiles } from './live-tiles.tsx';
import { StatsCharts } from './stats-charts.tsx';
import { TotalTiles } from './total-tiles.tsx';
import './overview.css';

const WINDOWS = [
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
] as const;

const REFRESH_MS: Record<StatsWindow, number> = { '1h': 5_000, '24h': 30_000, '7d': 120_000 };

export function OverviewPage() {
  const chosen = WINDOWS.find(({ value }) => value === query.value.get('window'))?.value ?? '1h';
  const scope = { tenantId: tenantId.value };
  const stats = useResponse<Stats>('/stats', { window: chosen, ...scope }, REFRESH_MS[chosen]);
  return (
    <>
      <PageHeader title="Overview" lead="What the pipeline does right now, and what it did.">
        <Choice
          label="Time window"
          options={WINDOWS}
          value={chosen}
          onChange={(window) => changeQuery({ window: window === '1h' ? null : window })}
        />
      </PageHeader>
      <FirstSteps isPublished={(stats.data?.totals.published ?? 0) > 0} />
      <Loaded response={stats} lines={10}>
        {(data) => (
          <>
            <LiveTiles asked={data.now} />
            <TotalTiles stats={data} />
            <StatsCharts stats={data} />
          </>
        )}
      </Loaded>
      <LatestDeliveries />
    </>
  );
}
