import { DuplicateEventIdError } from '../eventbus.errors.js';
import type { PreparedEvent } from './prepare-event.js';

/**
 * Generated ids are new.
 * @throws {DuplicateEventIdError} when a supplied id is that of an accepted event or of another one of these
 */
export function refuseRepeatedIds(accepted: Iterable<PreparedEvent>, events: readonly PreparedEvent[]): void {
  if (!events.some(({ isIdSupplied }) => isIdSupplied)) {
    return;
  }
  const known = new Set<string>();
  for (const { eventId } of accepted) {
    known.add(eventId);
  }
  for (const { eventId } of events) {
    if (known.has(eventId)) {
      throw new DuplicateEventIdError(eventId);
    }
    known.add(eventId);
  }
}
