import { Injectable, Logger } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { SealKey } from '../sealing/seal-key.js';
import { BEGINNING } from './verified-place.js';
import { readState, saveState } from './verification-state.sql.js';
import { stateMessage, type VerificationState } from './verification-state.js';

/** Stores signed verification progress in the database and logs when a finding appears or is cleared. */
@Injectable()
export class VerificationCheckpoint {
  readonly #logger = new Logger(VerificationCheckpoint.name);

  constructor(private readonly key: SealKey) {}

  /** A position without a valid signature is ignored and verification restarts; its finding is kept. */
  async recall(trx: Kysely<unknown>, now: string): Promise<VerificationState> {
    const nothing = { place: BEGINNING, beganAt: now, endedAt: null, finding: null };
    const stored = await readState(trx);
    if (!stored) {
      return nothing;
    }
    if (!this.key.isSignatureOf(stateMessage(stored), stored.signature)) {
      this.#logger.warn({ msg: 'the ledger is verified from its beginning: what was remembered of it is not signed' });
      return { ...nothing, finding: stored.finding };
    }
    const { signature: _, ...state } = stored;
    return state;
  }

  async keep(trx: Kysely<unknown>, state: VerificationState, before: VerificationState): Promise<void> {
    await saveState(trx, { ...state, signature: this.key.sign(stateMessage(state)) });
    const { finding } = state;
    if (finding && !isSame(finding, before.finding)) {
      const { fault, batchNumber, entryId } = finding;
      this.#logger.error({ msg: 'the ledger was changed behind its seals', fault, batchNumber, entryId });
    }
    if (!finding && before.finding) {
      this.#logger.warn({ msg: 'the ledger is as it was sealed again', batchNumber: before.finding.batchNumber });
    }
  }
}

function isSame(finding: NonNullable<VerificationState['finding']>, before: VerificationState['finding']): boolean {
  return before?.fault === finding.fault && before.batchNumber === finding.batchNumber;
}
