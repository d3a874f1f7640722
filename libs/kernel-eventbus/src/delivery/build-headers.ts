import { traceparentOf } from '../runtime/trace-context.js';

export interface HeaderParts {
  tenantId: string;
  type: string;
  traceId: string;
  deliveryId: string;
  attempt: number;
}

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/** What the webhook says of itself besides the signature. */
export function buildHeaders(parts: HeaderParts): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'kernel-eventbus',
    'x-kernel-tenant-id': parts.tenantId,
    'x-kernel-event-type': headerSafe(parts.type),
    'x-kernel-delivery-id': parts.deliveryId,
    'x-kernel-attempt': String(parts.attempt),
    'x-trace-id': headerSafe(parts.traceId),
    traceparent: traceparentOf(parts.traceId),
  };
}

/** Types and trace ids may hold any text; what no header may carry goes out percent-encoded. */
function headerSafe(value: string): string {
  return VISIBLE_ASCII.test(value) ? value : encodeURIComponent(value);
}
