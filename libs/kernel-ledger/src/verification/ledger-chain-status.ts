/**
 * Reports whether the ledger's chain of seals is intact, from the last verification. The module that seals the ledger
 * provides it under this token for the gauges `kernel_ledger_chain_broken` and `kernel_ledger_verified_age_seconds`;
 * without a provider the first is NaN and the second the time since the first seal.
 */
export abstract class LedgerChainStatus {
  /** Undefined: not verified yet. */
  abstract isBroken(): Promise<boolean | undefined> | boolean | undefined;

  /** Last time that a verification reached the end of the chain, as text with microseconds; null: never. */
  abstract verifiedAt(): Promise<string | null> | string | null;
}
