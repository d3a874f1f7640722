import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { useLiveDeliveries } from '../deliveries/use-live-deliveries.ts';
import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { Panel } from '../elements/panel.tsx';
import { hrefOf } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';

const SHOWN = 10;

/** The newest deliveries, updated live. */
export function LatestDeliveries() {
  const { response, fresh } = useLiveDeliveries({ tenantId: tenantId.value, limit: SHOWN });
  return (
    <Panel title="Latest deliveries" actions={<a href={hrefOf('/deliveries')}>All deliveries</a>}>
      <Loaded response={response} lines={4}>
        {({ items }) =>
          items.length > 0 ? (
            <DeliveryTable deliveries={items} fresh={fresh} label="Latest deliveries" />
          ) : (
            <EmptyState icon="send" title="No deliveries yet">
              As soon as an event matches an endpoint, it appears here.
            </EmptyState>
          )
        }
      </Loaded>
    </Panel>
  );
}
