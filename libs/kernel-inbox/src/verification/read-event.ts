import { z } from 'zod';
import { NotAnEventError } from '../inbox.errors.js';
import type { InboxEvent } from './inbox-event.js';
import { headerOf, type ReceivedMessage } from './received-message.js';

const Envelope = z.object({
  eventId: z.guid().toLowerCase(),
  tenantId: z.guid().toLowerCase(),
  streamKey: z.string().min(1).max(1_000),
  type: z.string().min(1).max(1_000),
  occurredAt: z.iso.datetime(),
  traceId: z.string().min(1),
  actorId: z.guid().optional(),
  payload: z.record(z.string(), z.unknown()).default({}),
});

/** Expects a message whose signature is valid. */
export function readEvent(message: ReceivedMessage): InboxEvent {
  const envelope = readEnvelope(message.body);
  if (headerOf(message, 'webhook-id')?.toLowerCase() !== envelope.eventId) {
    throw new NotAnEventError('webhook-id is not the id of the event in the signed body.');
  }
  // The key may have been chosen by this header, so it must name the tenant of the signed envelope.
  const claimedTenant = headerOf(message, 'x-kernel-tenant-id')?.toLowerCase();
  if (claimedTenant !== undefined && claimedTenant !== envelope.tenantId) {
    throw new NotAnEventError('x-kernel-tenant-id is not the tenant in the signed body.');
  }
  return {
    ...envelope,
    sequence: readNumber(message, 'x-kernel-stream-sequence'),
    previousSequence: readNumber(message, 'x-kernel-previous-sequence'),
  };
}

function readEnvelope(body: Buffer): z.infer<typeof Envelope> {
  const parsed = Envelope.safeParse(parseJson(body));
  if (!parsed.success) {
    const paths = [...new Set(parsed.error.issues.map(({ path }) => path.join('.') || 'the body'))];
    throw new NotAnEventError(`the signed body is not an event: missing or malformed are ${paths.join(', ')}.`);
  }
  return parsed.data;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new NotAnEventError('the signed body is not JSON.');
  }
}

function readNumber(message: ReceivedMessage, name: string): number | null {
  const text = headerOf(message, name);
  if (text === undefined) {
    return null;
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw new NotAnEventError(`${name} is not a number.`);
  }
  return Number(text);
}
