import type { Delivery } from '../connection/responses.ts';
import { Facts } from '../elements/facts.tsx';
import { FullId } from '../elements/short-id.tsx';
import { Ago, Time } from '../elements/time.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { hrefOf } from '../navigation/location.ts';

export function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const isOpen = delivery.status === 'PENDING' || delivery.status === 'FAILED';
  return (
    <Facts
      facts={[
        ['Delivery id', <FullId id={delivery.deliveryId} label="delivery id" />],
        ['Endpoint', <EndpointName endpointId={delivery.endpointId} />],
        [
          'Trace',
          <FullId id={delivery.traceId} label="trace id" href={hrefOf('/ledger', { traceId: delivery.traceId })} />,
        ],
        ['Attempts', delivery.attempts],
        ['Next attempt', isOpen && delivery.nextAttemptAt ? <Ago at={delivery.nextAttemptAt} /> : 'none is planned'],
        ...(delivery.lastError ? [['Last error', delivery.lastError] as [string, string]] : []),
        ...(delivery.deadLetterReason ? [['Dead letter', delivery.deadLetterReason] as [string, string]] : []),
        ['Created', <Time at={delivery.createdAt} />],
        ['Settled', delivery.settledAt ? <Time at={delivery.settledAt} /> : 'not yet'],
      ]}
    />
  );
}
