import type { SignatureScheme } from '@kernel/secrets';
import type { OutgoingResult } from '../outgoing/outgoing-http.js';
import type { EndpointHeaders } from '../routing/webhook-endpoint.entity.js';
import type { HandedDelivery } from './webhook-dispatcher.js';

/** One invocation of an endpoint on its way through the middleware. */
export interface EndpointInvocation {
  readonly delivery: HandedDelivery & {
    signingSecretAlias: string;
    signature: SignatureScheme;
    /** As they were set on the endpoint: credentials by their alias alone. */
    headers: EndpointHeaders;
  };
  /** What will be sent: to be changed in place. A body that is changed after the signature no longer fits it. */
  readonly request: {
    url: string;
    /** Whether the outgoing guard's exceptions hold for the url. True is right for one that the middleware itself chose. */
    urlSetByOperator: boolean;
    headers: Record<string, string>;
    body: string;
    timeoutMs: number;
  };
}

/**
 * Runs around every attempt, retries included, in the order of the options. It may change the request, look at the result or
 * give one of its own without calling `next`. What it throws fails this attempt and no other.
 */
export interface EndpointInvokerMiddleware {
  readonly name: string;
  invoke(invocation: EndpointInvocation, next: () => Promise<OutgoingResult>): Promise<OutgoingResult>;
}
