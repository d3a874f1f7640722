import type { SignatureScheme } from '@kernel/secrets';
import type { Subscription } from '../endpoints/subscription.js';
import { ALL_TENANTS } from '../envelope/tenant-id.js';
import { HANDLER_DISPATCHER } from '../endpoints/handler-names.js';
import { part } from '@kernel/runtime';
import type {
  EndpointHeaders,
  EndpointOrdering,
  EndpointRetry,
  OnDeadLetter,
} from '../endpoints/webhook-endpoint.entity.js';

/** An enabled endpoint that subscribes to an event type of a tenant. */
export interface Subscriber {
  forTenantId: string;
  forType: string;
  endpointId: string;
  endpointVersion: string;
  subscriptions: Subscription[];
  url: string;
  /** True if an operator or the host set the URL: the guard's exceptions apply to it. */
  urlSetByOperator: boolean;
  signingSecretAlias: string;
  signature: SignatureScheme;
  headers: EndpointHeaders;
  isExternal: boolean;
  ordering: EndpointOrdering;
  onDeadLetter: OnDeadLetter;
  maxInFlight: number | null;
  dispatcher: string | null;
  retry: EndpointRetry | null;
  timeoutMs: number | null;
  /** True if deliveries wait in the queue for the endpoint's probe. */
  isCircuitOpen: boolean;
}

/**
 * A column of a query on `claimed`: the subscribers of all its events, in the first row only. An endpoint of all
 * tenants gets events only if it is a handler.
 */
export const SUBSCRIBERS = part<never>`
  case when row_number() over () = 1 then (
    select json_agg(json_build_object(
      'forTenantId', pair.tenant_id, 'forType', pair.type,
      'endpointId', p.endpoint_id, 'endpointVersion', p.xmin::text, 'subscriptions', p.subscriptions, 'url', p.url, 'urlSetByOperator', p.url_set_by_operator,
      'signingSecretAlias', p.signing_secret_alias, 'signature', p.signature, 'headers', p.headers,
      'isExternal', p.is_external, 'ordering', p.ordering, 'onDeadLetter', p.on_dead_letter,
      'maxInFlight', p.max_in_flight, 'dispatcher', p.dispatcher, 'retry', p.retry, 'timeoutMs', p.timeout_ms,
      'isCircuitOpen', exists (select from kernel_endpoint_circuit k where k.endpoint_id = p.endpoint_id)
    ))
    from (select distinct tenant_id, type from claimed) pair
    join kernel_webhook_endpoint p on p.tenant_id = any(array[pair.tenant_id, '${{ text: ALL_TENANTS }}'::uuid])
      and (p.tenant_id <> '${{ text: ALL_TENANTS }}'::uuid or p.dispatcher = '${{ text: HANDLER_DISPATCHER }}')
      and p.subscribed_types @> array[pair.type] and p.is_enabled and p.deleted_at is null
  ) end as subscribers
`;

/** Row of a query with `SUBSCRIBERS`. */
export interface WithSubscribers {
  subscribers: Subscriber[] | null;
}
