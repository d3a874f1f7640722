export { WebhookReceiver, type Answer, type ReceivedWebhook } from './webhook-receiver.js';
export { waitFor, type WaitOptions } from './wait-for.js';
export { dispatcherConformance, type ConformanceRule } from './dispatcher-conformance.js';
