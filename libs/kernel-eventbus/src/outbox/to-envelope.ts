import type { EventEnvelope } from '../envelope/event-envelope.js';
import type { PreparedEvent } from './prepare-event.js';

/** What `publish` answers. */
export interface PublishedEvent extends EventEnvelope {
  /** Set when its idempotency key was taken: this is the event that exists, and nothing was published. */
  duplicateDetected?: true;
}

/** What an envelope is made of, be the event about to be written or long stored. */
export type EnvelopeSource = Pick<
  PreparedEvent,
  'eventId' | 'tenantId' | 'streamKey' | 'type' | 'occurredAt' | 'traceId' | 'actorId' | 'payloadJson'
>;

/** The payload as it was written, read when somebody asks for it: hardly anybody does. */
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
