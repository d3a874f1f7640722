import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isOpenLane, isQueued, type ActivityScope } from '@kernel/eventbus/engine';

/** Counts stop here, which bounds the cost of the query on any backlog. */
export const PRESENT_CAP = 10_000;

/** Current state. A count of `PRESENT_CAP` means at least that many. */
export interface Present {
  /** Events to route, and deliveries and lanes to send, including those in flight. */
  due: number;
  oldestDueSeconds: number;
  leased: number;
  deadLetters: number;
  openCircuits: number;
  blockedLanes: number;
}

/**
 * Reads only partial indexes over waiting rows, as claims and gauges do; see `planByIndexes`. The oldest delivery is
 * exact, because it is read from the head of each queue. The queues are walked by status, as the index of claims is
 * ordered: over both at once, each step would read all that waits.
 */
export async function measurePresent(db: Kysely<unknown>, scope: ActivityScope): Promise<Present> {
  const { rows } = await sql<Present>`
    with recursive queue as (
      select s.status, first.tenant_id, first.endpoint_id
      from (values ('PENDING'), ('FAILED')) as s (status)
      cross join lateral (
        select d.tenant_id, d.endpoint_id from kernel_webhook_delivery d
        where d.status = s.status and ${isQueued('d')} ${within('d', scope)}
        order by d.tenant_id, d.endpoint_id limit 1
      ) first
      union all
      select q.status, next.tenant_id, next.endpoint_id
      from queue q
      cross join lateral (
        select d.tenant_id, d.endpoint_id from kernel_webhook_delivery d
        where d.status = q.status and ${isQueued('d')} ${within('d', scope)}
          and (d.tenant_id, d.endpoint_id) > (q.tenant_id, q.endpoint_id)
        order by d.tenant_id, d.endpoint_id limit 1
      ) next
    ), delivery as materialized (
      select d.next_attempt_at as due_at, d.leased_by is not null as is_leased
      from queue q
      cross join lateral (
        select d.next_attempt_at, d.leased_by from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = q.status
          and ${isQueued('d')} and d.next_attempt_at <= now()
        order by d.next_attempt_at
        limit ${PRESENT_CAP}
      ) d
      limit ${PRESENT_CAP}
    ), head as (
      select min(d.next_attempt_at) as due_at
      from queue q
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = q.status
          and ${isQueued('d')} and d.next_attempt_at <= now()
        order by d.next_attempt_at limit 1
      ) d
    ), lane as materialized (
      select l.ready_at as due_at, l.leased_by is not null as is_leased from kernel_lane l
      where ${isOpenLane('l')} and l.ready_at <= now() ${within('l', scope)}
      limit ${PRESENT_CAP}
    ), event as materialized (
      select e.created_at as due_at from kernel_outbox_event e
      where e.status = 'PENDING' ${scope.endpointId === undefined ? within('e', scope) : sql`and false`}
      order by e.created_at
      limit ${PRESENT_CAP}
    ), due as (
      select due_at, is_leased from delivery
      union all select due_at, is_leased from lane
      union all select due_at, false from event
    )
    select least(count(*), ${PRESENT_CAP})::int as due, count(*) filter (where is_leased)::int as leased,
      greatest(extract(epoch from now() - least(min(due_at), (select due_at from head))), 0)::float8 as "oldestDueSeconds",
      (${deadLetters(scope)}) as "deadLetters",
      (
        select count(*)::int from kernel_endpoint_circuit k where true ${within('k', scope)}
      ) as "openCircuits",
      (
        select count(*)::int from (
          select from kernel_lane l where l.blocked_by is not null ${within('l', scope)} limit ${PRESENT_CAP}
        ) blocked
      ) as "blockedLanes"
    from due
  `.execute(db);
  const [present] = rows;
  return { ...present!, oldestDueSeconds: present!.oldestDueSeconds ?? 0 };
}

/** The index is by tenant, so the dead letters of one endpoint are filtered from those of its tenant. */
function deadLetters({ tenantId, endpointId }: ActivityScope): RawBuilder<unknown> {
  const ofEndpoint = endpointId === undefined ? sql`` : sql`where dead.endpoint_id = ${endpointId}::uuid`;
  return sql`
    select count(*)::int from (
      select d.endpoint_id from kernel_webhook_delivery d
      where d.status = 'DLQ' ${within('d', { tenantId })} limit ${PRESENT_CAP}
    ) dead ${ofEndpoint}
  `;
}

function within(alias: string, { tenantId, endpointId }: ActivityScope): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`
    ${tenantId === undefined ? sql`` : sql`and ${column('tenant_id')} = ${tenantId}::uuid`}
    ${endpointId === undefined ? sql`` : sql`and ${column('endpoint_id')} = ${endpointId}::uuid`}
  `;
}
