import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LedgerChainStatus } from '../../metrics/ledger-chain-status.js';
import { readState } from '../verification/read-state.sql.js';

/**
 * What was found last of the chain of seals: by verifications, in whichever process and kept by the database; and by the sealer of
 * this one, who sees no more than whether the head fits the last seal, and at once.
 */
@Injectable()
export class ChainWatch extends LedgerChainStatus {
  #isHeadBroken: boolean | undefined;

  constructor(private readonly em: EntityManager) {
    super();
  }

  sawHead(isBroken: boolean): void {
    this.#isHeadBroken = isBroken;
  }

  async isBroken(): Promise<boolean | undefined> {
    const state = await readState(this.em.fork().getKysely());
    const known = [this.#isHeadBroken, state && state.finding !== null].filter((found) => found !== undefined);
    return known.length > 0 ? known.includes(true) : undefined;
  }
}
