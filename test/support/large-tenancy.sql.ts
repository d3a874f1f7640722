/** Sizes of the data set. A quarter of the events, deliveries and ledger entries belongs to the large tenant. */
export interface TenancySizes {
  tenants: number;
  /** Endpoints of the large tenant; every other tenant has one. */
  endpoints: number;
  /** Also the number of deliveries. */
  events: number;
  ledger: number;
}

export type RunStatement = (statement: string) => Promise<unknown>;

const uuid = (prefix: string, number: string) =>
  `('${prefix}-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const tenantOf = (number: string) => uuid('a0000000', number);
const endpointOf = (tenant: string, number: string) =>
  `('0000' || lpad(to_hex(${number}), 4, '0') || '-0000-7000-9000-' || lpad(to_hex(${tenant}), 12, '0'))::uuid`;

/** The first tenant is the large one. */
export const LARGE_TENANT = 'a0000000-0000-4000-8000-000000000001';
export const SMALL_TENANT = 'a0000000-0000-4000-8000-000000000064';
export const LARGE_ENDPOINT = '00000001-0000-7000-9000-000000000001';
/** Holds a fifth of the large tenant's events, and one event of each other tenant. */
export const LARGE_STREAM = 'ledger:all';
export const SMALL_STREAM = 'invoice:4';
/** A trace of a whole import: a tenth of the large tenant's events. */
export const LARGE_TRACE = 'trace-of-an-import';
export const SMALL_TRACE = 'trace-00000004';
export const COMMON_TYPE = 'invoice.created.v1';
export const RARE_TYPE = 'invoice.voided.v1';
export const ERROR_CLASS = 'timeout';

const DAYS = 7;
const POLICIES = 2_000;
const OPERATIONS = 3_000;
const TOKENS = 10_000;

/**
 * Fills empty tables with a week of history: mostly delivered, with dead letters, retries, events not routed yet,
 * blocked lanes, open operations and activity. `run` connects as the owner of the tables.
 */
export async function fillLargeTenancy(run: RunStatement, sizes: TenancySizes): Promise<void> {
  for (const statement of statementsFor(sizes)) {
    await run(statement);
  }
}

function statementsFor({ tenants, endpoints, events, ledger }: TenancySizes): string[] {
  /** One value for all statements: ids contain the time. */
  const end = new Date().toISOString();
  const perEvent = Math.max(1, Math.round(ledger / events));
  /** Event `n` with its facts, for `n` in a range; ids ascend with time as UUIDv7 do. */
  const history = (count: number, eventNumber = 'n') => `
    from generate_series(1, ${count}) n
    cross join lateral (select (${eventNumber})::bigint as e) event
    cross join lateral (select '${end}'::timestamptz - ${DAYS} * interval '1 day' * (1 - e::float8 / ${events}) as at) moment
    cross join lateral (select lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') as hex) prefix
    cross join lateral (select case when e % 4 = 0 then 1 else 2 + e % ${tenants - 1} end as tenant) owner
    cross join lateral (select case when tenant = 1 then e / 4 % ${endpoints} else 0 end as endpoint) receiver
    cross join lateral (
      select case when e % 20 = 0 or e between ${events / 2} and ${events / 2 + tenants} then '${LARGE_STREAM}' else 'invoice:' || e end as stream,
        case when e % 40 = 0 then '${LARGE_TRACE}' else 'trace-' || lpad(e::text, 8, '0') end as trace,
        case when e <= 3 then '${RARE_TYPE}' else '${COMMON_TYPE}' end as type,
        case when e > ${events} * 0.999 then 'UNROUTED' when e % 100 in (7, 8) then 'DLQ' when e % 400 in (5, 12) then 'FAILED'
          else 'DELIVERED' end as state
    ) facts`;
  const id = (digit: number) =>
    `(left(hex, 8) || '-' || right(hex, 4) || '-700${digit}-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
  const idOfEvent = `(left(hex, 8) || '-' || right(hex, 4) || '-7000-8000-' || lpad(to_hex(e), 12, '0'))::uuid`;
  const idOfDelivery = `(left(hex, 8) || '-' || right(hex, 4) || '-7001-8000-' || lpad(to_hex(e), 12, '0'))::uuid`;
  return [
    ...partitions(),
    `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias, ordering, name)
     select ${endpointOf('tenant', 'endpoint')}, ${tenantOf('tenant')}, 'https://example.com/' || endpoint, '{${COMMON_TYPE}}',
       'alias', case when endpoint % 10 = 1 then 'stream' else 'none' end, 'endpoint ' || endpoint
     from (
       select 1 as tenant, endpoint from generate_series(0, ${endpoints - 1}) endpoint
       union all select tenant, 0 from generate_series(2, ${tenants}) tenant
     ) listed`,
    `insert into kernel_outbox_event (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash,
       status, created_at, published_at)
     select ${id(0)}, ${tenantOf('tenant')}, stream, type, at, trace, jsonb_build_object('total', n), md5(n::text),
       case when state = 'UNROUTED' then 'PENDING' else 'PUBLISHED' end, at, case when state <> 'UNROUTED' then at end
     ${history(events)}`,
    `insert into kernel_stream (tenant_id, stream_key, last_sequence)
     select tenant_id, stream_key, count(*) from kernel_outbox_event group by tenant_id, stream_key`,
    `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status, attempts,
       next_attempt_at, dispatched_at, settled_at, created_at, error_class, dead_letter_reason)
     select ${id(1)}, ${tenantOf('tenant')}, ${endpointOf('tenant', 'endpoint')}, ${id(0)}, type, trace, state, ${perEvent - 1},
       case when state = 'FAILED' then now() - interval '1 minute' end, at,
       case when state <> 'FAILED' then at end, at, case when state <> 'DELIVERED' then '${ERROR_CLASS}' end,
       case when state = 'DLQ' then 'attempts' end
     ${history(events)} where state <> 'UNROUTED'`,
    `insert into kernel_ledger_entry (entry_id, recorded_at, kind, conclusion, tenant_id, event_id, event_type, delivery_id,
       endpoint_id, trace_id, actor, attempt, status_code, latency_ms)
     select ${id(2)}, at, kind, case when kind = 'attempt' then case when n % ${perEvent} > 0 then 'retry'
         when state = 'DLQ' then 'dead-lettered' when state = 'FAILED' then 'retry' else 'delivered' end end,
       ${tenantOf('tenant')}, case when kind <> 'endpoint-updated' then ${idOfEvent} end,
       case when kind <> 'endpoint-updated' then type end,
       case when kind = 'attempt' then ${idOfDelivery} end,
       case when kind <> 'published' then ${endpointOf('tenant', 'endpoint')} end, trace, 'kernel',
       case when kind = 'attempt' then n % ${perEvent} end, case when kind = 'attempt' then 200 end, 20
     ${history(ledger, `least((n + ${perEvent - 1}) / ${perEvent}, ${events})`)}
     cross join lateral (
       select case when n % 997 = 0 then 'endpoint-updated' when n % ${perEvent} = 1 then 'published' else 'attempt' end as kind
     ) entry`,
    `insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, blocked_by, blocked_at, ready_at)
     select ${id(4)}, d.tenant_id, d.endpoint_id, 'lane:' || n, n,
       case when n % 10 = 0 then d.delivery_id end, case when n % 10 = 0 then now() end, case when n % 10 = 1 then now() end
     ${history(Math.round(events / 20), 'n * 20 + 4')} join kernel_webhook_delivery d on d.delivery_id = ${idOfDelivery}`,
    `insert into kernel_operation (operation_id, kind, tenant_id, endpoint_id, reason, actor, trace_id, state, total)
     select ${id(5)}, 'replay', case when n % 3 > 0 then ${tenantOf('tenant')} end,
       case when n % 3 > 0 then ${endpointOf('tenant', 'endpoint')} end, 'an outage', 'an operator', trace,
       case when n > ${OPERATIONS - 20} then 'running' when n = 5 then 'failed' else 'completed' end, 10
     ${history(OPERATIONS, `n * ${Math.floor(events / OPERATIONS) - 1} + n % 4`)}`,
    `insert into kernel_admin_token (token_id, name, role, tenant_id, token_hash, created_by)
     select ${uuid('b0000000', 'n')}, 'token ' || n, 'tenant-admin', ${tenantOf(`1 + n % ${tenants}`)}, md5(n::text), 'an operator'
     from generate_series(1, ${TOKENS}) n`,
    `insert into kernel_privacy_policy (policy_id, tenant_id, event_type, version, rules, created_by)
     select ${uuid('c0000000', 'n * 10 + version')}, case when n > 10 then ${tenantOf('n')} end, 'invoice.t' || n || '.v1', version,
       '[{"path": "$.total", "action": "keep"}]', 'an operator'
     from generate_series(1, ${POLICIES}) n cross join generate_series(1, 3) version`,
    `insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at)
     select endpoint_id, tenant_id, now() + interval '1 minute' from kernel_webhook_endpoint where tenant_id = '${LARGE_TENANT}'
     limit ${Math.ceil(endpoints / 10)}`,
    `insert into kernel_activity
     select tenant_id, endpoint_id, seconds, to_timestamp(floor(extract(epoch from now()) / seconds) * seconds) - step * seconds * interval '1 second',
       1, 1, 0, 0, '{1}'
     from (
       select tenant_id, endpoint_id from kernel_webhook_endpoint where tenant_id = '${LARGE_TENANT}'
       union all select distinct tenant_id, '${ALL}'::uuid from kernel_webhook_endpoint
       union all select '${ALL}', '${ALL}'
     ) scope cross join (values (60, 60), (1800, 48)) as kept (seconds, steps) cross join lateral generate_series(0, steps) step
     where tenant_id in ('${LARGE_TENANT}', '${SMALL_TENANT}', '${ALL}')`,
    'vacuum (analyze)',
  ];
}

const ALL = '00000000-0000-0000-0000-000000000000';

/** One partition for each day of the history, as in a running system. */
function partitions(): string[] {
  const lowest = (day: string) =>
    `rpad(lpad(to_hex((extract(epoch from ${day} at time zone 'UTC') * 1000)::bigint), 12, '0'), 32, '0')::uuid`;
  return [
    `select kernel_make_outbox_partition('kernel_outbox_event_p' || to_char(day, 'YYYYMMDD') || '_00',
       ${lowest('day')}, ${lowest(`(day + interval '1 day')`)}, 0, false)
     from generate_series(0, ${DAYS}) as age, lateral (select date_trunc('day', now() at time zone 'UTC') - age * interval '1 day' as day) past`,
  ];
}
