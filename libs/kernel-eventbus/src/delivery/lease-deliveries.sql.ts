import { sql, type Kysely, type RawBuilder } from 'kysely';
import { inHotTransaction, PLANNED_EACH_TIME } from '../runtime/hot-transaction.js';
import { executePrepared } from '../runtime/prepared.js';
import type { Claim } from './claim.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { DELIVERY_COLUMNS, DELIVERY_EVENT } from './delivery-columns.sql.js';

/** Leases the deliveries that `due` names (a query of delivery ids whose rows it locked) and reads all that their attempts need. */
export function leaseDeliveries(
  db: Kysely<unknown>,
  due: RawBuilder<unknown>,
  { leaseMs, workerId, probeMs }: Pick<Claim, 'leaseMs' | 'workerId' | 'probeMs'>,
): Promise<ClaimedDelivery[]> {
  const statement = sql<ClaimedDelivery>`
    with recursive ${due}, c as (
      update kernel_webhook_delivery d
      set lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        lease_epoch = d.lease_epoch + 1, leased_by = ${workerId}
      from due where d.delivery_id = due.delivery_id
      returning d.*
    ), probed as (
      update kernel_endpoint_circuit k set probe_at = clock_timestamp() + ${probeMs} * interval '1 millisecond'
      where k.endpoint_id in (select endpoint_id from c)
    )
    select ${DELIVERY_COLUMNS}
    from c
    cross join ${DELIVERY_EVENT}
    join kernel_webhook_endpoint p on p.endpoint_id = c.endpoint_id
    left join kernel_endpoint_circuit k on k.endpoint_id = c.endpoint_id
    order by c.next_attempt_at
  `;
  return inHotTransaction(db, (trx) => executePrepared(trx, statement), PLANNED_EACH_TIME);
}
