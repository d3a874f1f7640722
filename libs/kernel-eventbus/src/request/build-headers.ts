export interface HeaderParts {
  tenantId: string;
  type: string;
  deliveryId: string;
  /** Attempts before this one. */
  attempts: number;
  streamSequence: string | null;
  previousSequence: string | null;
}

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/** Headers of every webhook besides trace and signature. `streamKey`: as it may go out; null: it may not. */
export function buildHeaders(parts: HeaderParts, streamKey: string | null): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'kernel-eventbus',
    'x-kernel-tenant-id': parts.tenantId,
    'x-kernel-event-type': headerSafe(parts.type),
    'x-kernel-delivery-id': parts.deliveryId,
    'x-kernel-attempt': String(parts.attempts + 1),
  };
  if (parts.streamSequence !== null) {
    if (streamKey !== null) {
      headers['x-kernel-stream-key'] = headerSafe(streamKey);
    }
    headers['x-kernel-stream-sequence'] = parts.streamSequence;
  }
  if (parts.previousSequence !== null) {
    headers['x-kernel-previous-sequence'] = parts.previousSequence;
  }
  return headers;
}

/** Types, streams and trace ids may contain any text; text that a header cannot carry is percent-encoded. */
export function headerSafe(value: string): string {
  return VISIBLE_ASCII.test(value) ? value : encodeURIComponent(value);
}
