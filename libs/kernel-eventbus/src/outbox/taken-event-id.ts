import { DuplicateEventIdError } from '../eventbus.errors.js';

const UNIQUE_VIOLATION = '23505';

/** The event id of a unique violation on the outbox; undefined for any other error. */
export function takenEventId(error: unknown): string | undefined {
  const { code, detail } = error as { code?: string; detail?: string };
  return code === UNIQUE_VIOLATION ? /\(event_id\)=\(([^)]+)\)/.exec(detail ?? '')?.[1] : undefined;
}

export function teachDuplicateId(error: unknown): never {
  const eventId = takenEventId(error);
  throw eventId ? new DuplicateEventIdError(eventId, { cause: error }) : error;
}
