/** A count of many short statements exceeded its time limit. */
export class CountTookTooLong extends Error {
  constructor() {
    super('the count took too long');
  }
}

const QUERY_CANCELED = '57014';

/** True for the database's statement timeout and for `CountTookTooLong`. */
export function isCountTooLong(error: unknown): boolean {
  return error instanceof CountTookTooLong || (error as { code?: string } | null)?.code === QUERY_CANCELED;
}
