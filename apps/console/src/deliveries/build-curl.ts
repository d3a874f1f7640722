import type { Delivery } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';

/**
 * The request as a curl command. Without a signature: it needs the secret, which is never shown again, and it expires.
 */
export function buildCurl(endpoint: Pick<Endpoint, 'url'>, delivery: Delivery, body: string): string {
  const headers = {
    'content-type': 'application/json',
    'webhook-id': delivery.eventId,
    'x-kernel-tenant-id': delivery.tenantId,
    'x-kernel-event-type': delivery.eventType,
    'x-kernel-delivery-id': delivery.deliveryId,
    'x-trace-id': delivery.traceId,
  };
  return [
    `curl -X POST ${quote(endpoint.url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-raw ${quote(body)}`,
  ].join(' \\\n  ');
}

/** For a POSIX shell: within single quotes only the quote itself is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
