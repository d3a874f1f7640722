/** What scripts can tell apart. */
export const EXIT_CODES = {
  ok: 0,
  /** The API refused, or what was checked is not well: the ledger is broken, a test delivery failed. */
  failed: 1,
  usage: 2,
  /** Nothing answers there: the app or the database. */
  unreachable: 3,
} as const;
