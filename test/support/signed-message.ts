import { randomBytes, randomUUID } from 'node:crypto';
import type { InboxEvent, Work } from '@kernel/inbox';
import { Webhook } from 'standardwebhooks';

export const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

export interface Envelope {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  payload: Record<string, unknown>;
}

export interface MessageChanges {
  secret?: string;
  signedAt?: Date;
  body?: string;
  event?: Partial<Envelope>;
  headers?: Record<string, string>;
  sequence?: number;
  previousSequence?: number;
}

/** A webhook like the kernel's, signed by the public library to be independent of our own signing code. */
export function signedMessage(changes: MessageChanges = {}) {
  const { secret = SECRET, signedAt = new Date(), sequence, previousSequence } = changes;
  const event: Envelope = { ...newEnvelope(), ...changes.event };
  const text = changes.body ?? JSON.stringify(event, null, 1);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': event.eventId,
    'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(event.eventId, signedAt, text),
    'x-kernel-tenant-id': event.tenantId,
    'x-kernel-event-type': event.type,
    ...(sequence !== undefined && { 'x-kernel-stream-sequence': String(sequence) }),
    ...(previousSequence !== undefined && { 'x-kernel-previous-sequence': String(previousSequence) }),
    ...changes.headers,
  };
  return { event, headers, body: Buffer.from(text) };
}

/** An event as it is after verification. */
export function newEvent(changes: Partial<InboxEvent> = {}): InboxEvent {
  return { ...newEnvelope(), sequence: null, previousSequence: null, ...changes };
}

/** The effect: one row per run, so a second run is detected. */
export const insertEffect: Work = ({ eventId }, em) =>
  em.execute('insert into effect (event_id) values (?)', [eventId]);

function newEnvelope(): Envelope {
  return {
    eventId: randomUUID(),
    tenantId: randomUUID(),
    streamKey: 'order:1',
    type: 'order.placed.v1',
    occurredAt: '2026-11-16T10:00:00.000Z',
    traceId: 'trace-0001',
    payload: { ä: 'kept in this order', a: 1 },
  };
}
