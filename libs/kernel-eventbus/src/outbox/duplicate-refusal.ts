import { DuplicateEventIdError, EventIdReusedError, type EventBusError } from '../eventbus.errors.js';
import type { EventBusConfig } from '../eventbus.options.js';
import type { EnvelopeSource } from './to-envelope.js';

export type DuplicatePolicy = NonNullable<EventBusConfig['deduplication']>;

/** An event that has an id already: stored, or waiting in the running transaction. */
export interface KnownEvent extends EnvelopeSource {
  payloadHash: string;
  /** Stored longer ago than repeats are recognised. */
  isExpired?: boolean;
}

/** Why an event is not a repeat of the one that has its id; undefined when it is one. */
export function duplicateRefusal(
  event: KnownEvent,
  known: KnownEvent,
  { scope, retentionDays }: DuplicatePolicy,
): EventBusError | undefined {
  // First, and without a word of what the other tenant's event is like.
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

/**
 * When, by whom and under which trace an event is published changes when a publisher tries again. What it says, and the
 * stream it says it in, does not.
 */
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
