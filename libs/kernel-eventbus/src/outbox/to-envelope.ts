import type { EventEnvelope } from '../envelope/event-envelope.js';
import type { PreparedEvent } from './prepare-event.js';

/** Result of `publish`. */
export interface PublishedEvent extends EventEnvelope {
  /** Set if the idempotency key was taken: this is the existing event, and nothing was published. */
  duplicateDetected?: true;
}

/** Source of an envelope: an event about to be written, or a stored one. */
export type EnvelopeSource = Pick<
  PreparedEvent,
  'eventId' | 'tenantId' | 'streamKey' | 'type' | 'occurredAt' | 'traceId' | 'actorId' | 'payloadJson'
>;

/** Parses the payload on first access, because few callers read it. */
export function toEnvelope(event: EnvelopeSource): EventEnvelope {
  let payload: Record<string, unknown> | undefined;
  return {
    eventId: event.eventId,
    tenantId: event.tenantId,
    streamKey: event.streamKey,
    type: event.type,
    occurredAt: event.occurredAt,
    traceId: event.traceId,
    ...(event.actorId && { actorId: event.actorId }),
    get payload() {
      return (payload ??= JSON.parse(event.payloadJson) as Record<string, unknown>);
    },
    set payload(replaced) {
      payload = replaced;
    },
  };
}
