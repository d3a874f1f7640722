/**
 * Says whether the ledger's chain of seals holds, from what was found last, without looking for it. Whoever seals the ledger
 * provides it under this token, and the gauge `kernel_ledger_chain_broken` follows; without one the gauge is NaN.
 */
export abstract class LedgerChainStatus {
  /** Undefined: nobody has looked yet. */
  abstract isBroken(): Promise<boolean | undefined> | boolean | undefined;
}
