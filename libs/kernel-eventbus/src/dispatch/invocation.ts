import type { SignatureScheme } from '@kernel/secrets';
import type { WebhookParts } from '../request/body-preparer.js';
import type { Redaction } from '../request/webhook-body.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointHeaders } from '../endpoints/webhook-endpoint.entity.js';
import type { SendRequest } from './webhook-dispatcher.js';

/** One event for one endpoint, with everything that an attempt needs. */
export interface InvocationRequest extends WebhookParts {
  endpointId: string;
  url: string;
  urlSetByOperator: boolean;
  signingSecretAlias: string;
  signature: SignatureScheme;
  /** The endpoint's own headers. */
  headers: EndpointHeaders;
  /** Null: the application's default. */
  timeoutMs: number | null;
  replayCount: number;
  leaseEpoch: number;
}

export type InvocationResult = InvokedEndpoint | DeferredInvocation;

export interface InvokedEndpoint {
  kind: 'invoked';
  result: OutgoingResult;
  /** Null: no body was made. */
  bodySha256: string | null;
  redaction: Redaction;
}

/** A fault on our side: nothing was sent, no attempt is used up. */
export interface DeferredInvocation {
  kind: 'deferred';
  errorClass: string;
  error: string;
}

export const NO_REDACTION: Redaction = Object.freeze({ policyId: null, policyVersion: null, removedPaths: null });

/**
 * Processes the event inside this process: no body, no middleware, no signature. Only the engine's own dispatchers have
 * one.
 */
export abstract class InProcessTransport {
  abstract process(request: InvocationRequest): Promise<InvocationResult>;
}

/** The last step of an attempt: sends the finished request, or takes the event as it is. */
export type Transport = SendRequest | InProcessTransport;
