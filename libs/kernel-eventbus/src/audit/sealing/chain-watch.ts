import { Injectable } from '@nestjs/common';
import { LedgerChainStatus } from '../../metrics/ledger-chain-status.js';

/**
 * What was found last of the chain of seals in this process. The sealer sees no more than whether the head fits the last seal, so
 * what a verification found stays until another one finds the ledger whole.
 */
@Injectable()
export class ChainWatch extends LedgerChainStatus {
  #isHeadBroken: boolean | undefined;
  #isVerifiedBroken: boolean | undefined;

  sawHead(isBroken: boolean): void {
    this.#isHeadBroken = isBroken;
  }

  verified(isBroken: boolean): void {
    this.#isVerifiedBroken = isBroken;
  }

  isBroken(): boolean | undefined {
    const known = [this.#isHeadBroken, this.#isVerifiedBroken].filter((found) => found !== undefined);
    return known.length > 0 ? known.includes(true) : undefined;
  }
}
