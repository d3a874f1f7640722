import { part } from '@kernel/runtime';

/** The oldest pending events, locked until the transaction ends; skips events that another router holds. */
export const OLDEST_PENDING = part<'limit'>`
  select * from kernel_outbox_event
  where status = 'PENDING'
  order by created_at
  limit ${'limit'}::int
  for update skip locked
`;

/**
 * Turns for `PENDING_IN_TURN`: walks the tenants with pending events, from the end of the last batch and around, until
 * the batch is full, and gives each an equal share. Recursive.
 */
export const TENANT_TURNS = part<'limit' | 'afterTenantId' | 'exceptTenantIds'>`
  tenant as (
    select ${'afterTenantId'}::uuid as tenant_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as last_id, 0 as step
    union all
    select next.tenant_id, next.last_id, t.step + 1
    from tenant t
    cross join lateral (
      (
        select e.tenant_id, t.last_id from kernel_outbox_event e
        where e.status = 'PENDING' and e.tenant_id > t.tenant_id and e.tenant_id <= t.last_id
        order by e.tenant_id, e.created_at limit 1
      )
      union all
      (
        select e.tenant_id, ${'afterTenantId'}::uuid from kernel_outbox_event e
        where e.status = 'PENDING' and t.last_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
          and e.tenant_id <= ${'afterTenantId'}::uuid
        order by e.tenant_id, e.created_at limit 1
      )
      limit 1
    ) next
    where t.step < ${'limit'}::int + cardinality(${'exceptTenantIds'}::uuid[])
  ), turn as (
    select tenant_id, ceil(${'limit'}::numeric / count(*) over ())::int as share
    from tenant where step > 0 and tenant_id <> all(${'exceptTenantIds'}::uuid[])
    order by step
    limit ${'limit'}::int
  )
`;

/** Each tenant's oldest pending events, for when more wait than fit into a batch. */
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

/**
 * The first events of `locked` whose payloads have `maxBytes` together, and one more: their texts are in the worker's
 * memory at once. `payload_json` is serialised once; `offset 0` keeps PostgreSQL from serialising it again for its
 * length.
 */
export const WITHIN_BYTES = part<'maxBytes'>`
  select *, (select count(*) from locked)::int as locked_count
  from (
    select *, sum(octet_length(payload_json)) over (rows between unbounded preceding and 1 preceding) as bytes_before
    from (select *, payload_jsonb::text as payload_json from locked offset 0) written
  ) sized
  where coalesce(bytes_before, 0) < ${'maxBytes'}::int
`;
