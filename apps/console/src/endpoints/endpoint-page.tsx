import type { Stats } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { LatestOfEndpoint } from '../deliveries/latest-of-endpoint.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { LedgerTimeline } from '../ledger/ledger-timeline.tsx';
import { hrefOf } from '../navigation/location.ts';
import { StatsCharts } from '../overview/stats-charts.tsx';
import { TotalTiles } from '../overview/total-tiles.tsx';
import '../overview/overview.css';
import { CircuitBadge } from './circuit-badge.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointFacts } from './endpoint-facts.tsx';
import { hostOf } from './endpoint-names.ts';
import { SubscriptionList } from './subscription-list.tsx';
import { TestSend } from './test-send.tsx';
import './endpoints.css';

export function EndpointPage({ id }: { id: string }) {
  const endpoint = useResponse<Endpoint>(`/endpoints/${id}`, undefined, 15_000);
  const { data, reload } = endpoint;
  const stats = useResponse<Stats>(data ? '/stats' : null, { window: '24h', endpointId: id }, 30_000);
  return (
    <>
      <PageHeader
        title={data ? (data.name ?? hostOf(data.url)) : 'Endpoint'}
        mark={data && <CircuitBadge endpoint={data} />}
        lead={data?.url}
        back={{ href: hrefOf('/endpoints'), label: 'Endpoints' }}
      >
        {data && <EndpointActions endpoint={data} onChanged={reload} />}
      </PageHeader>
      <Loaded response={endpoint}>
        {(shown) => (
          <>
            <TestSend endpointId={id} />
            <Loaded response={stats} lines={4}>
              {(data) => (
                <>
                  <TotalTiles stats={data} isOfEndpoint />
                  <StatsCharts stats={data} isOfEndpoint />
                </>
              )}
            </Loaded>
            <div class="columns">
              <Panel title="Settings">
                <EndpointFacts endpoint={shown} />
              </Panel>
              <Panel title="Subscriptions">
                <SubscriptionList endpoint={shown} />
              </Panel>
            </div>
            <LatestOfEndpoint endpointId={id} />
            <Panel title="Changes" actions={<a href={hrefOf('/ledger', { endpointId: id })}>In the ledger</a>}>
              <LedgerTimeline
                query={{ endpointId: id, kind: 'endpoint-updated', limit: 10 }}
                changes={Date.parse(shown.updatedAt)}
              />
            </Panel>
          </>
        )}
      </Loaded>
    </>
  );
}
