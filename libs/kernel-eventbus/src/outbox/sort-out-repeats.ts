import { duplicateRefusal, type DuplicatePolicy, type KnownEvent } from './duplicate-refusal.js';
import type { PreparedEvent } from './prepare-event.js';

export interface SortedOut {
  /** Events to write. */
  fresh: PreparedEvent[];
  /** For each event: itself, or the known event that it repeats. */
  answers: KnownEvent[];
}

/**
 * Separates new events from repeats of known events and of each other.
 * @throws {DuplicateEventIdError | EventIdReusedError} when an event has a known id and is not a repeat
 */
export function sortOutRepeats(
  events: readonly PreparedEvent[],
  knownEvents: readonly KnownEvent[],
  policy: DuplicatePolicy,
): SortedOut {
  const known = new Map(knownEvents.map((event) => [event.eventId, event]));
  const fresh: PreparedEvent[] = [];
  const answers = events.map((event) => {
    const earlier = known.get(event.eventId);
    if (!earlier) {
      known.set(event.eventId, event);
      fresh.push(event);
      return event;
    }
    const refusal = duplicateRefusal(event, earlier, policy);
    if (refusal) {
      throw refusal;
    }
    return earlier;
  });
  return { fresh, answers };
}
