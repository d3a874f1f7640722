/**
 * Reports whether the ledger's chain of seals is intact, from the last verification. The module that seals the ledger
 * provides it under this token for the gauge `kernel_ledger_chain_broken`; without a provider the gauge is NaN.
 */
export abstract class LedgerChainStatus {
  /** Undefined: not verified yet. */
  abstract isBroken(): Promise<boolean | undefined> | boolean | undefined;
}
