import { useEffect } from 'preact/hooks';
import type { DeliveryStory, Event } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { onDeliveries } from '../connection/live-stream.ts';
import { useResponse } from '../connection/use-response.ts';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { StatusBadge } from '../elements/status-badge.tsx';
import { EventFacts } from '../events/event-facts.tsx';
import { LedgerTimeline } from '../ledger/ledger-timeline.tsx';
import { hrefOf } from '../navigation/location.ts';
import { AttemptList } from './attempt-list.tsx';
import { DeliveryActions } from './delivery-actions.tsx';
import { DeliveryFacts } from './delivery-facts.tsx';
import { PipelineDrawing } from './pipeline-drawing.tsx';
import { pipelineStages } from './pipeline-stages.ts';
import './delivery-page.css';

/** The story of one delivery, refreshed while it is open. */
export function DeliveryPage({ id }: { id: string }) {
  const delivery = useResponse<DeliveryStory>(`/deliveries/${id}`, undefined, 10_000);
  const { data, reload } = delivery;
  const event = useResponse<Event>(data ? `/events/${data.eventId}` : null);
  const endpoint = useResponse<Endpoint>(data ? `/endpoints/${data.endpointId}` : null);
  useEffect(() => onDeliveries((changed) => changed.some(({ deliveryId }) => deliveryId === id) && reload()), [id]);
  return (
    <>
      <PageHeader
        title={data?.eventType ?? 'Delivery'}
        mark={data && <StatusBadge status={data.status} isParked={data.isParked} />}
        back={{ href: hrefOf('/deliveries'), label: 'Deliveries' }}
        lead={endpoint.data && `to ${endpoint.data.name ?? endpoint.data.url}`}
      >
        {data && <DeliveryActions delivery={data} endpoint={endpoint.data} onReplayed={reload} />}
      </PageHeader>
      <Loaded response={delivery}>
        {(story) => (
          <>
            <PipelineDrawing stages={pipelineStages(story, event.data ?? null)} />
            <Panel title="Attempts">
              <AttemptList delivery={story} />
            </Panel>
            <div class="columns">
              <Panel title="Delivery">
                <DeliveryFacts delivery={story} />
              </Panel>
              <Panel title="Event">
                <Loaded response={event} lines={4}>
                  {(data) => <EventFacts event={data} isLinked />}
                </Loaded>
              </Panel>
            </div>
            <Panel
              title="Ledger"
              actions={<a href={hrefOf('/ledger', { traceId: story.traceId })}>Everything of this trace</a>}
            >
              <LedgerTimeline
                query={{ deliveryId: id, eventId: story.eventId, limit: 50 }}
                changes={story.attemptLog.length}
              />
            </Panel>
          </>
        )}
      </Loaded>
    </>
  );
}
