import { HANDLER_DISPATCHER } from '../../endpoints/handler-names.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { refusals } from '../../eventbus.refusals.js';
import type { EndpointChanges } from './endpoint-input.js';

/**
 * Application handlers are endpoints only inside the engine. An operator may enable or disable one; code defines the
 * rest.
 */
export function refuseHandler(endpoint: WebhookEndpointRow | null | undefined, changes: EndpointChanges = {}): void {
  const [only, ...others] = Object.keys(changes);
  const isSwitch = only === 'isEnabled' && others.length === 0;
  if (endpoint?.dispatcher === HANDLER_DISPATCHER && !isSwitch) {
    throw refusals.notFound('endpoint: this is a handler of the application, of which only isEnabled can be changed');
  }
}
