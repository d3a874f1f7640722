import type { SignatureScheme } from '@kernel/secrets';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointHeaders } from '../endpoints/webhook-endpoint.entity.js';
import type { HandedDelivery } from './webhook-dispatcher.js';

/** One invocation of an endpoint, as middleware sees it. */
export interface EndpointInvocation {
  readonly delivery: HandedDelivery & {
    signingSecretAlias: string;
    signature: SignatureScheme;
    /** Headers of the endpoint; credentials only as their alias. */
    headers: EndpointHeaders;
  };
  /** The request to send; change it in place. A body changed after the signature no longer matches it. */
  readonly request: {
    url: string;
    /** True if the outgoing guard's exceptions apply to the url. Set it for a url that the middleware itself chose. */
    urlSetByOperator: boolean;
    headers: Record<string, string>;
    body: string;
    timeoutMs: number;
  };
}

/**
 * Runs around every attempt, retries included, in the order of the options. It may change the request, read the result
 * or return one of its own without calling `next`. An error fails this attempt only.
 */
export interface EndpointInvokerMiddleware {
  readonly name: string;
  invoke(invocation: EndpointInvocation, next: () => Promise<OutgoingResult>): Promise<OutgoingResult>;
}
