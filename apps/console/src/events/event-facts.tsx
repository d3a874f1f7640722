import type { Event } from '../connection/responses.ts';
import { Facts } from '../elements/facts.tsx';
import { FullId } from '../elements/short-id.tsx';
import { Time } from '../elements/time.tsx';
import { hrefOf } from '../navigation/location.ts';

export function EventFacts({ event, isLinked = false }: { event: Event; isLinked?: boolean }) {
  const attributes = Object.entries(event.attributes);
  return (
    <Facts
      facts={[
        ['Type', event.type],
        [
          'Event id',
          <FullId
            id={event.eventId}
            label="event id"
            href={isLinked ? hrefOf(`/events/${event.eventId}`) : undefined}
          />,
        ],
        ['Stream', <a href={hrefOf('/events', { streamKey: event.streamKey })}>{event.streamKey}</a>],
        ['Trace', <FullId id={event.traceId} label="trace id" href={hrefOf('/ledger', { traceId: event.traceId })} />],
        ['Tenant', <FullId id={event.tenantId} label="tenant id" />],
        ['Occurred', <Time at={event.occurredAt} />],
        ['Created', <Time at={event.createdAt} />],
        ['Routed', event.publishedAt ? <Time at={event.publishedAt} /> : 'not yet'],
        ...attributes.map(([name, value]): [string, string] => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ]}
    />
  );
}
