import { DuplicateEventIdError, EventIdReusedError, type EventBusError } from '../eventbus.errors.js';
import type { EventBusConfig } from '../eventbus.config.js';
import type { EnvelopeSource } from './to-envelope.js';

export type DuplicatePolicy = NonNullable<EventBusConfig['deduplication']>;

/** An event whose id is in use: stored, or waiting in the running transaction. */
export interface KnownEvent extends EnvelopeSource {
  payloadHash: string;
  /** Stored longer ago than `retentionDays`. */
  isExpired?: boolean;
}

/** The error for an event that is not a repeat of the known one; undefined for a repeat. */
export function duplicateRefusal(
  event: KnownEvent,
  known: KnownEvent,
  { scope, retentionDays }: DuplicatePolicy,
): EventBusError | undefined {
  // Checked first: the error must reveal nothing about another tenant's event.
  if (scope === 'tenant' && event.tenantId !== known.tenantId) {
    return new DuplicateEventIdError(event.eventId, { detail: 'taken outside of its tenant' });
  }
  if (known.isExpired) {
    const detail = `too long ago to be repeated (${retentionDays} days, option deduplication.retentionDays)`;
    return new DuplicateEventIdError(event.eventId, { detail });
  }
  const differing = differingFields(event, known);
  return differing.length > 0 ? new EventIdReusedError(event.eventId, differing) : undefined;
}

/** Time, actor and trace may change when a publisher retries. Type, stream and payload must not. */
function differingFields(event: KnownEvent, known: KnownEvent): string[] {
  if (event.tenantId !== known.tenantId) {
    return ['tenantId'];
  }
  return [
    ...(event.type === known.type ? [] : ['type']),
    ...(event.streamKey === known.streamKey ? [] : ['streamKey']),
    ...(event.payloadHash === known.payloadHash ? [] : ['payload']),
  ];
}
