import type { Delivery } from '../connection/responses.ts';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { ShortId } from '../elements/short-id.tsx';
import { StatusBadge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { hrefOf } from '../navigation/location.ts';

const COLUMNS: Column<Delivery>[] = [
  { label: 'Status', cell: ({ status, isParked }) => <StatusBadge status={status} isParked={isParked} /> },
  {
    label: 'Type',
    cell: ({ deliveryId, eventType }) => (
      <a class="row-link" href={hrefOf(`/deliveries/${deliveryId}`)}>
        {eventType}
      </a>
    ),
  },
  { label: 'Endpoint', cell: ({ endpointId }) => <EndpointName endpointId={endpointId} isLink={false} /> },
  { label: 'Event', isMinor: true, cell: ({ eventId }) => <ShortId id={eventId} /> },
  { label: 'Attempts', isNumber: true, isMinor: true, cell: ({ attempts }) => attempts },
  {
    label: 'Last answer',
    cell: ({ lastStatusCode, errorClass, status }) =>
      lastStatusCode ?? (status === 'DELIVERED' ? '–' : (errorClass ?? '–')),
  },
  { label: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

interface DeliveryTableProps {
  deliveries: readonly Delivery[];
  label: string;
  fresh?: ReadonlySet<string>;
}

export function DeliveryTable({ deliveries, label, fresh }: DeliveryTableProps) {
  return (
    <DataTable
      label={label}
      columns={COLUMNS}
      rows={deliveries}
      keyOf={({ deliveryId }) => deliveryId}
      isFresh={({ deliveryId }) => fresh?.has(deliveryId) ?? false}
    />
  );
}
