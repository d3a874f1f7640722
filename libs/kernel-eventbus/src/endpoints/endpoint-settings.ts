import type { SignatureScheme } from '@kernel/secrets';
import type { Subscription } from './subscription.js';
import type { EndpointHeaders, EndpointOrdering, EndpointRetry, OnDeadLetter } from './webhook-endpoint.entity.js';

/** One version of an endpoint. */
export interface EndpointSettings {
  readonly endpointId: string;
  /** Of the endpoint's row: see `selectEndpointVersions`. */
  readonly version: string;
  readonly subscribedTypes: readonly string[];
  readonly subscriptions: readonly Subscription[];
  readonly url: string;
  /** True if an operator or the host set the URL: the guard's exceptions apply to it. */
  readonly urlSetByOperator: boolean;
  readonly signingSecretAlias: string;
  readonly signature: SignatureScheme;
  readonly headers: EndpointHeaders;
  readonly ordering: EndpointOrdering;
  readonly onDeadLetter: OnDeadLetter;
  readonly maxInFlight: number | null;
  /** Null: the application's default. */
  readonly dispatcher: string | null;
  readonly retry: EndpointRetry | null;
  readonly timeoutMs: number | null;
  readonly isEnabled: boolean;
  readonly isExternal: boolean;
  readonly isDeleted: boolean;
}
