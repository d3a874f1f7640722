import { sql, type Kysely, type RawBuilder } from 'kysely';

export interface ListedTenant {
  tenantId: string;
  endpoints: number;
}

export interface TenantPosition {
  /** Exclusive. The nil id, which stands for all tenants, sorts before every other. */
  after: string;
  limit: number;
}

/**
 * Ordered by id. Walks from tenant to tenant through indexes, with one descent per tenant and partition, however many
 * events a tenant has.
 */
export async function selectTenants(db: Kysely<unknown>, { after, limit }: TenantPosition): Promise<ListedTenant[]> {
  const { rows } = await sql<ListedTenant>`
    with recursive tenant as (
      select ${nextAfter(sql`${after}::uuid`)} as tenant_id
      union all
      select ${nextAfter(sql`t.tenant_id`)} from tenant t where t.tenant_id is not null
    )
    select t.tenant_id as "tenantId", (
      select count(*)::int from kernel_webhook_endpoint p where p.tenant_id = t.tenant_id and p.deleted_at is null
    ) as endpoints
    from tenant t
    where t.tenant_id is not null
    limit ${limit}
  `.execute(db);
  return rows;
}

function nextAfter(tenantId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`least(
    (
      select p.tenant_id from kernel_webhook_endpoint p
      where p.tenant_id > ${tenantId} and p.deleted_at is null order by p.tenant_id limit 1
    ),
    (select e.tenant_id from kernel_outbox_event e where e.tenant_id > ${tenantId} order by e.tenant_id limit 1)
  )`;
}
