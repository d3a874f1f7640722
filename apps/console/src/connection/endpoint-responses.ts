import type { ResponseOf } from './response-of.ts';

export type Endpoint = ResponseOf<'/endpoints/{id}'>;
/** With the secret or public key if a new one was made; they are shown once. */
export type CreatedEndpoint = ResponseOf<'/endpoints', 'post'>;
export type ChangedEndpoint = ResponseOf<'/endpoints/{id}', 'patch'>;
export type Rotation = ResponseOf<'/endpoints/{id}/rotate-secret', 'post'>;
export type ShownSecret = Pick<Rotation, 'secret' | 'publicKey'>;

/** Fields that the form edits. */
export type EndpointSettings = Pick<
  Endpoint,
  | 'name'
  | 'url'
  | 'subscribedTypes'
  | 'subscriptions'
  | 'signature'
  | 'headers'
  | 'isEnabled'
  | 'isExternal'
  | 'ordering'
  | 'onDeadLetter'
  | 'maxInFlight'
  | 'retry'
  | 'timeoutMs'
>;
export type Subscription = Endpoint['subscriptions'][number];
export type Predicate = Subscription['predicates'][number];
export type PredicateOperator = Predicate['operator'];

export type Ping = ResponseOf<'/endpoints/{id}/test', 'post'>;
export type DryRun = ResponseOf<'/endpoints/dry-run', 'post'>;
export type EndpointHealth = ResponseOf<'/endpoints/health'>;
