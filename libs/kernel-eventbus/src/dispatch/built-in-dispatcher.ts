import type { Transport } from './invocation.js';
import type { Handoff, WebhookDispatcher } from './webhook-dispatcher.js';

/**
 * A dispatcher of the engine. It waits for the send gate before it touches a delivery, and its receivers recognise a
 * repeated event by the event's id. Neither is known of a host's dispatcher.
 */
export interface BuiltInDispatcher extends WebhookDispatcher {
  /** The only endpoints that it serves in this process. Default: all that choose it. */
  readonly endpointIds?: ReadonlySet<string>;
  /** True: only endpoints that the application itself registers use it. */
  readonly isReserved?: boolean;
}

/** A handoff as built-in dispatchers get it. */
export interface EngineHandoff extends Handoff {
  invoke(transport?: Transport): Promise<void>;
}
