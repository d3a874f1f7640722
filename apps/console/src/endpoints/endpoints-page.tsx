import type { Page } from '../connection/responses.ts';
import type { Endpoint, EndpointHealth } from '../connection/endpoint-responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { ButtonLink } from '../elements/button.tsx';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Pager } from '../elements/pager.tsx';
import { formatPlural } from '../elements/format-number.ts';
import { Sparkline } from '../elements/sparkline.tsx';
import { hrefOf, query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { CircuitBadge } from './circuit-badge.tsx';
import { hostOf } from './endpoint-names.ts';
import './endpoints.css';

type Series = EndpointHealth['items'][number]['series'];

export function EndpointsPage() {
  const scope = { tenantId: tenantId.value };
  const endpoints = useResponse<Page<Endpoint>>('/endpoints', { ...scope, cursor: query.value.get('cursor') }, 15_000);
  const health = useResponse<EndpointHealth>('/endpoints/health', scope, 30_000);
  const seriesOf = new Map(health.data?.items.map(({ endpointId, series }) => [endpointId, series]));
  const newEndpoint = (
    <ButtonLink kind="primary" icon="plus" href={hrefOf('/endpoints/new')}>
      New endpoint
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Endpoints" lead="Who gets webhooks, of which types, and how well that goes.">
        {newEndpoint}
      </PageHeader>
      <Loaded response={endpoints}>
        {({ items, nextCursor }) =>
          items.length > 0 ? (
            <>
              <DataTable
                label="Endpoints"
                columns={columnsWith(seriesOf)}
                rows={items}
                keyOf={({ endpointId }) => endpointId}
              />
              <Pager nextCursor={nextCursor} />
            </>
          ) : (
            <EmptyState icon="endpoint" title="No endpoints yet">
              <p>An endpoint is a URL that gets the types of events you choose.</p>
              <p class="empty-action">{newEndpoint}</p>
            </EmptyState>
          )
        }
      </Loaded>
    </>
  );
}

function columnsWith(seriesOf: ReadonlyMap<string, Series>): Column<Endpoint>[] {
  return [
    {
      label: 'Endpoint',
      cell: ({ endpointId, name, url }) => (
        <>
          <a class="row-link" href={hrefOf(`/endpoints/${endpointId}`)}>
            {name ?? hostOf(url)}
          </a>
          <div class="muted endpoint-url">{url}</div>
        </>
      ),
    },
    { label: 'State', cell: (endpoint) => <CircuitBadge endpoint={endpoint} /> },
    {
      label: 'Types',
      cell: ({ subscribedTypes }) => (
        <span title={subscribedTypes.join('\n')}>{formatPlural(subscribedTypes.length, 'type')}</span>
      ),
    },
    { label: 'Order', cell: ({ ordering }) => (ordering === 'stream' ? 'per stream' : 'any') },
    { label: 'Last 24 hours', cell: ({ endpointId }) => <HealthSparkline series={seriesOf.get(endpointId)} /> },
  ];
}

function HealthSparkline({ series }: { series: Series | undefined }) {
  if (!series) {
    return <span class="muted">–</span>;
  }
  const sum = (name: 'delivered' | 'failedAttempts') => series.reduce((total, step) => total + step[name], 0);
  return (
    <Sparkline
      label={`${formatPlural(sum('delivered'), 'delivery', 'deliveries')} and ${formatPlural(sum('failedAttempts'), 'failed attempt')} in the last 24 hours`}
      bars={series.map(({ delivered, failedAttempts }) => ({ good: delivered, bad: failedAttempts }))}
    />
  );
}
