/** Names the address and the reason, never the password. */
export class DatabaseUnreachableError extends Error {
  readonly code = 'DATABASE_UNREACHABLE';

  constructor(databaseUrl: string, cause: unknown) {
    super(`the database at ${placeOf(databaseUrl)} cannot be used (${reasonOf(cause)}): check DATABASE_URL`, { cause });
    this.name = 'DatabaseUnreachableError';
  }
}

function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url ? `${url.hostname}:${url.port || 5432}${url.pathname}` : 'an address that is not a URL';
}

/** A host with several addresses fails with a list of errors that has no message. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string };
  return (message || code || 'no reason given').split('\n')[0]!;
}
