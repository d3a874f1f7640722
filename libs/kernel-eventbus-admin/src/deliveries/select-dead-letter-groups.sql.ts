import { sql, type Kysely, type RawBuilder } from 'kysely';

/** Dead letters read per tenant, newest first. `COUNTED` is the limit over all tenants. */
export const COUNTED_OF_TENANT = 5_000;
const COUNTED = 20_000;
const MAX_GROUPS = 200;

export interface DeadLetterGroup {
  tenantId: string;
  endpointId: string;
  endpointName: string | null;
  errorClass: string;
  count: number;
  /** True if the count was capped. */
  more: boolean;
  oldestAt: Date;
  newestAt: Date;
}

/** Largest first. Walks from tenant to tenant through the index of dead letters. */
export async function selectDeadLetterGroups(
  db: Kysely<unknown>,
  tenantId: string | undefined,
): Promise<DeadLetterGroup[]> {
  const { rows } = await sql<DeadLetterGroup>`
    with recursive ${tenants(tenantId)}, dead as materialized (
      select d.*
      from tenant t
      cross join lateral (
        select d.tenant_id, d.endpoint_id, coalesce(d.error_class, d.dead_letter_reason, 'unknown') as error_class,
          d.settled_at, row_number() over () as place
        from (
          select * from kernel_webhook_delivery d
          where d.status = 'DLQ' and d.tenant_id = t.tenant_id
          order by d.delivery_id desc limit ${COUNTED_OF_TENANT + 1}
        ) d
      ) d
      where t.tenant_id is not null
      limit ${COUNTED + 1}
    ), cut as (
      select tenant_id from dead where place > ${COUNTED_OF_TENANT}
    ), overall as (
      select count(*) > ${COUNTED} as is_cut from dead
    )
    select g.tenant_id as "tenantId", g.endpoint_id as "endpointId", p.name as "endpointName", g.error_class as "errorClass",
      g.count, overall.is_cut or g.tenant_id in (select tenant_id from cut) as more, g.oldest_at as "oldestAt",
      g.newest_at as "newestAt"
    from (
      select tenant_id, endpoint_id, error_class, count(*)::int as count, min(settled_at) as oldest_at,
        max(settled_at) as newest_at
      from dead where place <= ${COUNTED_OF_TENANT}
      group by tenant_id, endpoint_id, error_class
    ) g
    cross join overall
    left join kernel_webhook_endpoint p on p.endpoint_id = g.endpoint_id
    order by g.count desc, g.newest_at desc
    limit ${MAX_GROUPS}
  `.execute(db);
  return rows;
}

function tenants(tenantId: string | undefined): RawBuilder<unknown> {
  if (tenantId !== undefined) {
    return sql`tenant as (select ${tenantId}::uuid as tenant_id)`;
  }
  return sql`
    tenant as (
      (select tenant_id from kernel_webhook_delivery where status = 'DLQ' order by tenant_id limit 1)
      union all
      select (
        select d.tenant_id from kernel_webhook_delivery d
        where d.status = 'DLQ' and d.tenant_id > t.tenant_id order by d.tenant_id limit 1
      )
      from tenant t where t.tenant_id is not null
    )
  `;
}
