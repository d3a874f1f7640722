import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { Panel } from '../elements/panel.tsx';
import { hrefOf } from '../navigation/location.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { useLiveDeliveries } from './use-live-deliveries.ts';

export function LatestOfEndpoint({ endpointId }: { endpointId: string }) {
  const { response, fresh } = useLiveDeliveries({ endpointId, limit: 10 });
  return (
    <Panel title="Latest deliveries" actions={<a href={hrefOf('/deliveries', { endpointId })}>All of them</a>}>
      <Loaded response={response} lines={3}>
        {({ items }) =>
          items.length > 0 ? (
            <DeliveryTable deliveries={items} fresh={fresh} label="Latest deliveries to this endpoint" />
          ) : (
            <EmptyState icon="send" title="Nothing was sent to it yet" />
          )
        }
      </Loaded>
    </Panel>
  );
}
