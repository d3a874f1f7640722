const UNIQUE_VIOLATION = '23505';

/** The event id of a unique violation on the outbox; undefined for any other error. */
export function takenEventId(error: unknown): string | undefined {
  const { code, detail } = error as { code?: string; detail?: string };
  return code === UNIQUE_VIOLATION ? /\(event_id\)=\(([^)]+)\)/.exec(detail ?? '')?.[1] : undefined;
}
