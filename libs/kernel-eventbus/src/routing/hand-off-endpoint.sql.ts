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
