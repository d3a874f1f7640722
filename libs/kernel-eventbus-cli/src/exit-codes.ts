/** Exit codes for scripts. */
export const EXIT_CODES = {
  ok: 0,
  /** The API refused, or a check failed: the ledger is broken, a test delivery failed. */
  failed: 1,
  usage: 2,
  /** The app or the database does not answer. */
  unreachable: 3,
} as const;
