import type { Delivery, Event, Page } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { JsonBlock } from '../elements/code-block.tsx';
import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { hrefOf } from '../navigation/location.ts';
import { EventFacts } from './event-facts.tsx';
import { EventPreview } from './event-preview.tsx';

export function EventPage({ id }: { id: string }) {
  const event = useResponse<Event>(`/events/${id}`);
  const deliveries = useResponse<Page<Delivery>>('/deliveries', { eventId: id }, 3_000);
  return (
    <>
      <PageHeader
        title={event.data?.type ?? 'Event'}
        back={{ href: hrefOf('/events'), label: 'Events' }}
        lead="What was published, and what became of it at each endpoint."
      />
      <Loaded response={event}>
        {(data) => (
          <>
            <div class="columns">
              <Panel title="Event">
                <EventFacts event={data} />
              </Panel>
              <Panel title="Payload as published">
                <JsonBlock value={data.payload} label="payload" />
              </Panel>
            </div>
            <Panel title="Deliveries">
              <Loaded response={deliveries} lines={3}>
                {({ items }) =>
                  items.length > 0 ? (
                    <DeliveryTable deliveries={items} label="Deliveries of this event" />
                  ) : (
                    <EmptyState icon="send" title="Nobody got it">
                      No endpoint subscribed to it when it was routed. Below is what each would get now.
                    </EmptyState>
                  )
                }
              </Loaded>
            </Panel>
            <EventPreview eventId={id} />
          </>
        )}
      </Loaded>
    </>
  );
}
