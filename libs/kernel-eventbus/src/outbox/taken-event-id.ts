const UNIQUE_VIOLATION = '23505';

/** The id for which PostgreSQL refused an insert into the outbox; undefined when it was for another reason. */
export function takenEventId(error: unknown): string | undefined {
  const { code, detail } = error as { code?: string; detail?: string };
  return code === UNIQUE_VIOLATION ? /\(event_id\)=\(([^)]+)\)/.exec(detail ?? '')?.[1] : undefined;
}
