import { sql, type Kysely, type RawBuilder } from 'kysely';
import { plainArray, inHotTransaction, executePrepared } from '@kernel/runtime';
import { LOWEST_ID, type QueueKey, type QueueRotation } from './queue-rotation.js';

const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Makes each step of the walk one index descent instead of a sort of the rows that a shorter index finds. */
const IN_INDEX_ORDER = 'set local enable_incremental_sort = off';

/** The waiting rows of one table, in the words of their hot index, which leads with tenant and endpoint. */
export interface QueueSource {
  kind: QueueKind;
  table: string;
  /** The condition on row `x`. */
  isWaiting: RawBuilder<unknown>;
  dueColumn: string;
  /**
   * For rows that can be due later: the predicate of the index that holds them by due time. True for every row, and
   * used in no other statement: a statement on a single queue must not be planned with that index.
   */
  isTimed?: RawBuilder<unknown>;
}

export type QueueKind = 'PENDING' | 'FAILED' | 'lane';

/** A queue found by the walk. */
export interface FoundQueue extends QueueKey {
  kind: QueueKind;
  /** It has a row that can be claimed. */
  isDue: boolean;
  /** Its endpoint is neither disabled nor deleted. */
  isActive: boolean;
  dispatcher: string | null;
  maxInFlight: number | null;
  isCircuitOpen: boolean;
  canProbe: boolean;
  /** There may be more tenants of this kind behind those found. */
  isCut: boolean;
  /** There may be more endpoints of this tenant behind those found. */
  isTenantCut: boolean;
}

export interface WalkLimits {
  /** Tenants to walk over, and rows to read by their time. */
  tenants: number;
  /** Tenants and endpoints to walk over. */
  queues: number;
}

/**
 * Finds queues with rows to claim. Reads a few rows for each, whatever the number of tenants and the length of queues.
 *
 * Where rows can be due later, it reads the rows due longest and the rows due most recently by their time. If these are
 * all due rows, the search ends. Otherwise it walks through the hot index, one descent for each tenant and endpoint,
 * from the end of the last claim and then from the beginning, up to the limits.
 */
export async function findDueQueues(
  db: Kysely<unknown>,
  sources: readonly QueueSource[],
  rotation: QueueRotation,
  limits: WalkLimits,
): Promise<FoundQueue[]> {
  const parts = sources.map((source) => walk(source, rotation, limits));
  const found = sources.map((source) => sql`select * from ${name(source, 'found')}`);
  const statement = sql<FoundQueue>`
    with recursive ${sql.join(parts)}
    select q.kind, q.tenant_id as "tenantId", q.endpoint_id as "endpointId", q.is_due as "isDue",
      q.is_cut as "isCut", q.is_tenant_cut as "isTenantCut", p."isActive", p.dispatcher,
      p."maxInFlight", k.endpoint_id is not null as "isCircuitOpen", coalesce(k.probe_at <= now(), false) as "canProbe"
    from (${sql.join(found, sql` union all `)}) q
    cross join lateral (
      select p.is_enabled and p.deleted_at is null as "isActive", p.dispatcher, p.max_in_flight as "maxInFlight"
      from kernel_webhook_endpoint p where p.endpoint_id = q.endpoint_id limit 1
    ) p
    left join lateral (
      select k.endpoint_id, k.probe_at from kernel_endpoint_circuit k where k.endpoint_id = q.endpoint_id limit 1
    ) k on true
  `;
  return inHotTransaction(db, (trx) => executePrepared(trx, statement), IN_INDEX_ORDER);
}

function walk(source: QueueSource, rotation: QueueRotation, limits: WalkLimits): RawBuilder<unknown> {
  const { table, isWaiting, dueColumn, isTimed, kind } = source;
  const rows = sql`${sql.raw(table)} x`;
  const due = sql.raw(`x.${dueColumn}`);
  const canBeClaimed = sql`${due} <= now() and (x.lease_until is null or x.lease_until <= now())`;
  const [early, tenant, found] = ['early', 'tenant', 'found'].map((part) => name(source, part));
  const { tenantIds, endpointIds } = rotation.afterEndpoints;
  const byTime = (order: 'asc' | 'desc') => sql`
    (
      select x.tenant_id, x.endpoint_id from ${rows} where ${isWaiting} and ${isTimed!} and ${canBeClaimed}
      order by ${due} ${sql.raw(order)} limit ${limits.tenants}::int
    )
  `;
  const isComplete = sql`(select count(*) from ${early}) < ${limits.tenants}::int`;
  return sql`
    ${
      isTimed
        ? sql`
          ${early} as materialized (${byTime('asc')}),
          ${name(source, 'late')} as materialized (${byTime('desc')}),
        `
        : sql``
    }
    ${tenant} as (
      select ${rotation.afterTenantId}::uuid as tenant_id, ${HIGHEST_ID}::uuid as last_id, 0 as step
      ${isTimed ? sql`where not (${isComplete})` : sql``}
      union all
      select next.tenant_id, next.last_id, t.step + 1
      from ${tenant} t
      cross join lateral (
        (
          select x.tenant_id, t.last_id from ${rows}
          where ${isWaiting} and x.tenant_id > t.tenant_id and x.tenant_id <= t.last_id
          order by x.tenant_id, x.endpoint_id, ${due} limit 1
        )
        union all
        (
          select x.tenant_id, ${rotation.afterTenantId}::uuid from ${rows}
          where ${isWaiting} and t.last_id = ${HIGHEST_ID}::uuid and x.tenant_id <= ${rotation.afterTenantId}::uuid
          order by x.tenant_id, x.endpoint_id, ${due} limit 1
        )
        limit 1
      ) next
      where t.step < ${limits.tenants}::int
    ), ${found} as (
      select ${kind}::text as kind, t.tenant_id, e.endpoint_id,
        coalesce((
          select true from ${rows}
          where ${isWaiting} and x.tenant_id = t.tenant_id and x.endpoint_id = e.endpoint_id and ${canBeClaimed}
          order by ${due} limit 1
        ), false) as is_due,
        t.count = ${limits.tenants}::int as is_cut, e.count = t.most as is_tenant_cut
      from (
        select tenant_id, count(*) over () as count, greatest(2, ${limits.queues}::int / count(*) over ()) as most
        from ${tenant} where step > 0
      ) t
      left join unnest(${plainArray(tenantIds)}::uuid[], ${plainArray(endpointIds)}::uuid[])
        as position (tenant_id, endpoint_id) on position.tenant_id = t.tenant_id
      cross join lateral (
        with recursive endpoint as (
          select coalesce(position.endpoint_id, ${LOWEST_ID}::uuid) as endpoint_id, ${HIGHEST_ID}::uuid as last_id,
            0 as step
          union all
          select next.endpoint_id, next.last_id, e.step + 1
          from endpoint e
          cross join lateral (
            (
              select x.endpoint_id, e.last_id from ${rows}
              where ${isWaiting} and x.tenant_id = t.tenant_id and x.endpoint_id > e.endpoint_id
                and x.endpoint_id <= e.last_id
              order by x.endpoint_id, ${due} limit 1
            )
            union all
            (
              select x.endpoint_id, position.endpoint_id from ${rows}
              where ${isWaiting} and x.tenant_id = t.tenant_id and e.last_id = ${HIGHEST_ID}::uuid
                and x.endpoint_id <= position.endpoint_id
              order by x.endpoint_id, ${due} limit 1
            )
            limit 1
          ) next
          where e.step < t.most
        )
        select endpoint_id, count(*) over () as count from endpoint where step > 0
      ) e
      ${
        isTimed
          ? sql`
            union all
            select ${kind}::text, tenant_id, endpoint_id, true, false, false
            from (select * from ${early} union select * from ${name(source, 'late')}) timed
          `
          : sql``
      }
    )
  `;
}

function name({ kind }: QueueSource, part: string): RawBuilder<unknown> {
  return sql.raw(`${kind.toLowerCase()}_${part}`);
}
