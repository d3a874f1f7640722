import { part } from '@kernel/runtime';
import { HANDLER_DISPATCHER } from '../endpoints/handler-names.js';
import { ALL_TENANTS } from '../envelope/tenant-id.js';

/** The enabled endpoints that subscribe to an event type of a tenant. */
export interface FoundSubscribers {
  tenantId: string;
  type: string;
  endpointIds: string[];
  /** In the same order: see `selectEndpointVersions`. */
  versions: string[];
  /** Endpoints with an open circuit. Null: none. */
  openIds: string[] | null;
}

/**
 * A column of a query on `claimed`: the subscribers of all its events, in the first row only. An endpoint of all
 * tenants gets events only if it is a handler. Endpoints come as ids and versions, because workers know their settings.
 */
export const SUBSCRIBERS = part<never>`
  case when row_number() over () = 1 then (
    select json_agg(found) from (
      select pair.tenant_id as "tenantId", pair.type, array_agg(p.endpoint_id) as "endpointIds",
        array_agg(p.xmin) as versions,
        array_agg(p.endpoint_id) filter (
          where exists (select from kernel_endpoint_circuit k where k.endpoint_id = p.endpoint_id)
        ) as "openIds"
      from (select distinct tenant_id, type from claimed) pair
      join kernel_webhook_endpoint p on p.tenant_id = any(array[pair.tenant_id, '${{ text: ALL_TENANTS }}'::uuid])
        and (p.tenant_id <> '${{ text: ALL_TENANTS }}'::uuid or p.dispatcher = '${{ text: HANDLER_DISPATCHER }}')
        and p.subscribed_types @> array[pair.type] and p.is_enabled and p.deleted_at is null
      group by pair.tenant_id, pair.type
    ) found
  ) end as subscribers
`;

/** Row of a query with `SUBSCRIBERS`. */
export interface WithSubscribers {
  subscribers: FoundSubscribers[] | null;
}
