import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { LedgerChainStatus } from './ledger-chain-status.js';
import { ChainHead } from '../sealing/chain-head.js';
import { VerificationCheckpoint, type LastResult } from './verification-checkpoint.js';

/**
 * Last known state of the chain of seals. Combines the stored result of verifications by any process with the check of
 * the sealer in this process, which only compares the head with the last seal but does so at once.
 */
@Injectable()
export class ChainWatch extends LedgerChainStatus {
  constructor(
    private readonly em: EntityManager,
    private readonly head: ChainHead,
    private readonly checkpoint: VerificationCheckpoint,
  ) {
    super();
  }

  async isBroken(): Promise<boolean | undefined> {
    const result = await this.lastResult();
    const known = [this.head.isBroken, result?.hasFinding].filter((found) => found !== undefined);
    return known.length > 0 ? known.includes(true) : undefined;
  }

  async verifiedAt(): Promise<string | null> {
    return (await this.lastResult())?.endedAt ?? null;
  }

  private lastResult(): Promise<LastResult | undefined> {
    return this.checkpoint.lastResult(this.em.fork().getKysely());
  }
}
