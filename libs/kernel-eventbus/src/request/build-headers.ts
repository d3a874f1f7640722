export interface HeaderParts {
  tenantId: string;
  type: string;
  deliveryId: string;
  attempt: number;
  streamKey: string;
  streamSequence: string | null;
  previousSequence: string | null;
}

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/** Headers of every webhook besides the signature. */
export function buildHeaders(parts: HeaderParts): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'kernel-eventbus',
    'x-kernel-tenant-id': parts.tenantId,
    'x-kernel-event-type': headerSafe(parts.type),
    'x-kernel-delivery-id': parts.deliveryId,
    'x-kernel-attempt': String(parts.attempt),
    ...(parts.streamSequence !== null && {
      'x-kernel-stream-key': headerSafe(parts.streamKey),
      'x-kernel-stream-sequence': parts.streamSequence,
    }),
    ...(parts.previousSequence !== null && { 'x-kernel-previous-sequence': parts.previousSequence }),
  };
}

/** Types, streams and trace ids may contain any text; text that a header cannot carry is percent-encoded. */
export function headerSafe(value: string): string {
  return VISIBLE_ASCII.test(value) ? value : encodeURIComponent(value);
}
