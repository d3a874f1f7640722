/** Thrown by a count that has many steps, of which each is short enough. */
export class CountTookTooLong extends Error {
  constructor() {
    super('the count took too long');
  }
}

const QUERY_CANCELED = '57014';

/** By the database's statement timeout, or by the above. */
export function isCountTooLong(error: unknown): boolean {
  return error instanceof CountTookTooLong || (error as { code?: string } | null)?.code === QUERY_CANCELED;
}
