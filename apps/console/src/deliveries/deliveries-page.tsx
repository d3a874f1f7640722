import { NothingFound } from '../elements/nothing-found.tsx';
import { FilterBar, type Filter } from '../elements/filter-bar.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Pager } from '../elements/pager.tsx';
import { endpointNames } from '../endpoints/endpoint-names.ts';
import { query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { useLiveDeliveries } from './use-live-deliveries.ts';

const STATUSES = [
  { value: 'PENDING', label: 'Pending' },
  { value: 'DELIVERED', label: 'Delivered' },
  { value: 'FAILED', label: 'Retrying' },
  { value: 'DLQ', label: 'Dead letter' },
];

export function DeliveriesPage() {
  const filters: Filter[] = [
    { name: 'eventId', label: 'Event id' },
    { name: 'traceId', label: 'Trace id' },
    { name: 'type', label: 'Type' },
    { name: 'streamKey', label: 'Stream' },
    { name: 'status', label: 'Status', options: STATUSES },
    {
      name: 'endpointId',
      label: 'Endpoint',
      options: [...endpointNames.value].map(([value, label]) => ({ value, label })),
    },
    { name: 'since', label: 'From', kind: 'time' },
    { name: 'until', label: 'Until', kind: 'time' },
  ];
  const wanted = Object.fromEntries(
    [...filters.map(({ name }) => name), 'cursor'].map((name) => [name, query.value.get(name)]),
  );
  const { response, fresh } = useLiveDeliveries({ tenantId: tenantId.value, ...wanted }, !query.value.has('cursor'));
  return (
    <>
      <PageHeader title="Deliveries" lead="One event on its way to one endpoint. The list keeps itself up to date." />
      <FilterBar filters={filters} />
      <Loaded response={response}>
        {({ items, nextCursor }) => (
          <>
            {items.length > 0 ? (
              <DeliveryTable deliveries={items} fresh={fresh} label="Deliveries" />
            ) : (
              <NothingFound icon="send" title="No deliveries found" isSearching={nextCursor !== null} />
            )}
            <Pager nextCursor={nextCursor} isEmpty={items.length === 0} />
          </>
        )}
      </Loaded>
    </>
  );
}
