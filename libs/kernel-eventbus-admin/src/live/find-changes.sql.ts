import { sql, type Kysely } from 'kysely';

export interface ChangedDelivery {
  deliveryId: string;
  tenantId: string;
  /** Text, because it is only compared. */
  updatedAt: string;
}

/**
 * Deliveries that were created or have a ledger entry, with ids from `sinceId` on. Ids start with their time, so the
 * newest are at the end of both primary keys. Beyond `limit` rows of each, the older ones are left out.
 */
export async function findChanges(
  db: Kysely<unknown>,
  { sinceId, limit }: { sinceId: string; limit: number },
): Promise<ChangedDelivery[]> {
  const { rows } = await sql<ChangedDelivery>`
    with made as materialized (
      select delivery_id from kernel_webhook_delivery
      where delivery_id >= ${sinceId}::uuid order by delivery_id desc limit ${limit}
    ), noted as materialized (
      select delivery_id from kernel_ledger_entry
      where entry_id >= ${sinceId}::uuid order by entry_id desc limit ${limit}
    ), changed as materialized (
      select delivery_id from made union select delivery_id from noted where delivery_id is not null
    )
    select d.delivery_id as "deliveryId", d.tenant_id as "tenantId", d.updated_at::text as "updatedAt"
    from changed cross join lateral (
      select * from kernel_webhook_delivery d where d.delivery_id = changed.delivery_id
    ) d
    order by d.updated_at desc
  `.execute(db);
  return rows;
}
