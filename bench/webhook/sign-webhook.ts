import { createHmac, randomUUID, type KeyObject } from 'node:crypto';
import type { WebhookEvent } from './event.ts';

export interface SignedWebhook {
  body: string;
  headers: Record<string, string>;
}

/** The same bytes and headers as our worker's, for contestants without webhook support. */
export function signWebhook(event: WebhookEvent, key: KeyObject): SignedWebhook {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${event.eventId}.${timestamp}.`).update(body).digest('base64');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'kernel-eventbus',
      'accept-encoding': 'identity',
      'x-kernel-tenant-id': event.tenantId,
      'x-kernel-event-type': event.type,
      'x-kernel-delivery-id': randomUUID(),
      'x-kernel-attempt': '1',
      'x-kernel-stream-key': event.streamKey,
      'x-trace-id': event.traceId,
      traceparent: `00-${event.traceId}-${event.traceId.slice(0, 16)}-01`,
      'webhook-id': event.eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  };
}
