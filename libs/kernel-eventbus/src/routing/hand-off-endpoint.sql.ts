import { ALL_TENANTS, HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import type { SubscribedEndpoint } from './find-subscribed-endpoints.sql.js';

/** What an attempt needs to know of an endpoint. */
export type HandOffEndpoint = Pick<
  SubscribedEndpoint,
  | 'endpointId'
  | 'url'
  | 'signingSecretAlias'
  | 'signature'
  | 'headers'
  | 'isExternal'
  | 'onDeadLetter'
  | 'maxInFlight'
  | 'dispatcher'
  | 'retry'
  | 'timeoutMs'
>;

/** The same for `json_build_object`, of an endpoint `p`. */
export const HAND_OFF_ENDPOINT = {
  text: `'endpointId', p.endpoint_id, 'url', p.url, 'signingSecretAlias', p.signing_secret_alias,
          'signature', p.signature, 'headers', p.headers,
          'isExternal', p.is_external, 'onDeadLetter', p.on_dead_letter, 'maxInFlight', p.max_in_flight,
          'dispatcher', p.dispatcher, 'retry', p.retry, 'timeoutMs', p.timeout_ms`,
};

/** Whether an endpoint `p` subscribes to the events of a `pair` of tenant and type; of those of all tenants only handlers do. */
export const SUBSCRIBES_TO_PAIR = {
  text: `p.tenant_id = any(array[pair.tenant_id, '${ALL_TENANTS}'::uuid])
      and (p.tenant_id <> '${ALL_TENANTS}'::uuid or p.dispatcher = '${HANDLER_DISPATCHER}')
      and p.subscribed_types @> array[pair.type] and p.is_enabled and p.deleted_at is null`,
};

/** Whether it wants order or looks into payloads. */
export const IS_CHOOSY = { text: `(p.ordering = 'stream' or p.subscriptions <> '[]')` };

/** Whether its circuit is open. */
export const IS_DEAD = {
  text: `exists (select from kernel_endpoint_circuit k where k.endpoint_id = p.endpoint_id)`,
};
