import { randomUUID } from 'node:crypto';

export const TENANT_ID = '0198c000-0000-7000-8000-000000000310';
export const EVENT_TYPE = 'invoice.created.v1';
export const SECRET = `whsec_${Buffer.from('a secret that only the benchmark knows').toString('base64')}`;

/** The envelope sent as the body: every contestant stores and sends the same, 800 bytes with the payload. */
export interface WebhookEvent {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  dispatchedAt: string;
  traceId: string;
  payload: Record<string, unknown>;
}

/** Fills the body up to 800 bytes; ids and times are all of one length. */
const NOTE_BYTES = 363;
/** PostgreSQL adds this many spaces when it prints the payload as jsonb, and our worker sends the printed text. */
export const JSONB_BLANKS = 12;

export function makePayload(spareBytes = 0): Record<string, unknown> {
  return {
    currency: 'EUR',
    invoiceId: randomUUID(),
    lines: [{ amount: 5900, description: 'storage' }],
    note: 'n'.repeat(NOTE_BYTES - spareBytes),
    total: 5900,
  };
}

export function makeEvent(streamKey: string): WebhookEvent {
  const now = new Date().toISOString();
  return {
    eventId: randomUUID(),
    tenantId: TENANT_ID,
    streamKey,
    type: EVENT_TYPE,
    occurredAt: now,
    dispatchedAt: now,
    traceId: randomUUID().replaceAll('-', ''),
    payload: makePayload(),
  };
}

export function streamOf(place: number, streams: number): string {
  return `invoice:${String(place % streams).padStart(6, '0')}`;
}
