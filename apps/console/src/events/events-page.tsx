import type { Event, Page } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { NothingFound } from '../elements/nothing-found.tsx';
import { FilterBar, type Filter } from '../elements/filter-bar.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Pager } from '../elements/pager.tsx';
import { ShortId } from '../elements/short-id.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { hrefOf, query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';

const FILTERS: Filter[] = [
  { name: 'eventId', label: 'Event id' },
  { name: 'traceId', label: 'Trace id' },
  { name: 'type', label: 'Type' },
  { name: 'streamKey', label: 'Stream' },
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'PENDING', label: 'Not yet routed' },
      { value: 'PUBLISHED', label: 'Routed' },
    ],
  },
  { name: 'since', label: 'From', kind: 'time' },
  { name: 'until', label: 'Until', kind: 'time' },
];

const COLUMNS: Column<Event>[] = [
  {
    label: 'Type',
    cell: ({ eventId, type }) => (
      <a class="row-link" href={hrefOf(`/events/${eventId}`)}>
        {type}
      </a>
    ),
  },
  { label: 'Stream', cell: ({ streamKey }) => <code>{streamKey}</code> },
  { label: 'Event', isMinor: true, cell: ({ eventId }) => <ShortId id={eventId} /> },
  { label: 'Trace', isMinor: true, cell: ({ traceId }) => <ShortId id={traceId} /> },
  {
    label: 'Status',
    cell: ({ status }) => <Badge tone={status === 'PENDING' ? 'accent' : 'good'}>{STATUS_TEXTS[status]}</Badge>,
  },
  { label: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

const STATUS_TEXTS = { PENDING: 'Not yet routed', PUBLISHED: 'Routed' };

export function EventsPage() {
  const wanted = Object.fromEntries(
    [...FILTERS.map(({ name }) => name), 'cursor'].map((name) => [name, query.value.get(name)]),
  );
  const events = useResponse<Page<Event>>('/events', { tenantId: tenantId.value, ...wanted });
  return (
    <>
      <PageHeader title="Events" lead="What was published, newest first, whether or not anybody subscribes." />
      <FilterBar filters={FILTERS} />
      <Loaded response={events}>
        {({ items, nextCursor }) => (
          <>
            {items.length > 0 ? (
              <DataTable label="Events" columns={COLUMNS} rows={items} keyOf={({ eventId }) => eventId} />
            ) : (
              <NothingFound icon="event" title="No events found" isSearching={nextCursor !== null} />
            )}
            <Pager nextCursor={nextCursor} isEmpty={items.length === 0} />
          </>
        )}
      </Loaded>
    </>
  );
}
