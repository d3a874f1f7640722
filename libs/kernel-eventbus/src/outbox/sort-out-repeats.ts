import { duplicateRefusal, type DuplicatePolicy, type KnownEvent } from './duplicate-refusal.js';
import type { PreparedEvent } from './prepare-event.js';

export interface SortedOut {
  /** What is to be written. */
  fresh: PreparedEvent[];
  /** For each of the events itself, or the one that it repeats. */
  answers: KnownEvent[];
}

/**
 * Tells repeats of known events, and of each other, from what is new.
 * @throws {DuplicateEventIdError | EventIdReusedError} when one has a known id and is no repeat
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
