import type { BodyParts } from '../request/build-body.js';
import type { HeaderParts } from '../request/build-headers.js';
import type { Redaction } from '../request/webhook-body.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import type { EndpointSettings } from '../endpoints/endpoint-settings.js';
import type { SendRequest } from './webhook-dispatcher.js';

/** One event for one endpoint, with everything that an attempt needs. */
export interface InvocationRequest extends BodyParts, HeaderParts {
  endpointId: string;
  endpoint: InvokedSettings;
  replayCount: number;
  leaseEpoch: number;
  traceParent: string | null;
  traceState: string | null;
}

export type InvokedSettings = Pick<
  EndpointSettings,
  | 'url'
  | 'urlSetByOperator'
  | 'signingSecretAlias'
  | 'signature'
  | 'headers'
  | 'timeoutMs'
  | 'isExternal'
  | 'dispatcher'
>;

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
