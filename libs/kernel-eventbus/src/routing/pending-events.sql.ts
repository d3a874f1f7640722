import { part } from '../runtime/prepared.js';

/** The oldest pending events, locked until the transaction ends; what another router holds is passed over. */
export const OLDEST_PENDING = part<'limit'>`
  select * from kernel_outbox_event
  where status = 'PENDING'
  order by created_at
  limit ${'limit'}::int
  for update skip locked
`;

/**
 * Whose turn it is, for `PENDING_IN_TURN`: each tenant with pending events gets an equal share of the batch, beginning behind
 * the tenant where the last batch ended. Recursive.
 */
export const TENANT_TURNS = part<'limit' | 'afterTenantId'>`
  tenant as (
    (select tenant_id from kernel_outbox_event where status = 'PENDING' order by tenant_id limit 1)
    union all
    select (
      select e.tenant_id from kernel_outbox_event e
      where e.status = 'PENDING' and e.tenant_id > t.tenant_id order by e.tenant_id limit 1
    )
    from tenant t where t.tenant_id is not null
  ), turn as (
    select tenant_id, ceil(${'limit'}::numeric / count(*) over ())::int as share
    from tenant where tenant_id is not null
    order by tenant_id <= ${'afterTenantId'}::uuid, tenant_id
    limit ${'limit'}::int
  )
`;

/** The same where more waits than one batch can take: each tenant's oldest. */
export const PENDING_IN_TURN = part<'limit'>`
  select e.*, turn.share
  from turn
  cross join lateral (
    select * from kernel_outbox_event
    where status = 'PENDING' and tenant_id = turn.tenant_id
    order by created_at
    limit turn.share
    for update skip locked
  ) e
  limit ${'limit'}::int
`;
