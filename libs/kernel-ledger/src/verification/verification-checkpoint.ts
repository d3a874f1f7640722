import { Injectable, Logger } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { SealKey } from '../sealing/seal-key.js';
import { BEGINNING } from './verified-place.js';
import { readState, saveState, type StoredState } from './verification-state.sql.js';
import { stateMessage, type RecalledState, type VerificationState } from './verification-state.js';

/** Stores signed verification progress in the database and logs when a finding appears or is cleared. */
@Injectable()
export class VerificationCheckpoint {
  readonly #logger = new Logger(VerificationCheckpoint.name);

  constructor(private readonly key: SealKey) {}

  /** What was kept; without it, or if the key did not sign it, nothing: verification begins with the first entry. */
  async recall(trx: Kysely<unknown>, now: string): Promise<RecalledState> {
    const stored = await readState(trx);
    return (
      this.trusted(stored) ?? {
        ...{ place: BEGINNING, beganAt: now, endedAt: null, finding: null },
        round: stored?.round ?? 0,
      }
    );
  }

  /** The last result; undefined before the first one, and if the key did not sign it. */
  async hasFinding(db: Kysely<unknown>): Promise<boolean | undefined> {
    const state = this.trusted(await readState(db));
    return state && state.finding !== null;
  }

  /** `before` is the state recalled in the same turn. */
  async keep(trx: Kysely<unknown>, state: VerificationState, before: RecalledState): Promise<void> {
    const signature = this.key.sign(stateMessage({ ...state, round: before.round + 1 }));
    await saveState(trx, { ...state, signature });
    const { finding } = state;
    if (finding && !isSame(finding, before.finding)) {
      const { fault, batchNumber, entryId } = finding;
      this.#logger.error({ msg: 'the ledger was changed behind its seals', fault, batchNumber, entryId });
    }
    if (!finding && before.finding) {
      this.#logger.warn({ msg: 'the ledger is as it was sealed again', batchNumber: before.finding.batchNumber });
    }
  }

  private trusted(stored: StoredState | undefined): RecalledState | undefined {
    if (!stored) {
      return undefined;
    }
    const { signature, ...state } = stored;
    if (this.key.isSignatureOf(stateMessage(state), signature)) {
      return state;
    }
    this.#logger.warn({
      msg: 'what was remembered of the last verification is not signed and is ignored: the ledger is verified from its beginning',
    });
    return undefined;
  }
}

function isSame(finding: NonNullable<VerificationState['finding']>, before: VerificationState['finding']): boolean {
  return before?.fault === finding.fault && before.batchNumber === finding.batchNumber;
}
