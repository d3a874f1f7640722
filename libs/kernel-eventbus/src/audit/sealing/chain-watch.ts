import { Injectable } from '@nestjs/common';
import { LedgerChainStatus } from '../../metrics/ledger-chain-status.js';

/** What was found last of the chain of seals in this process, by sealing or by verifying. */
@Injectable()
export class ChainWatch extends LedgerChainStatus {
  #isBroken: boolean | undefined;

  found(isBroken: boolean): void {
    this.#isBroken = isBroken;
  }

  isBroken(): boolean | undefined {
    return this.#isBroken;
  }
}
