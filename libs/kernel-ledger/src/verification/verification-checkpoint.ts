import { Injectable, Logger } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { readClock } from '../sealing/entries.sql.js';
import { SealKey } from '../sealing/seal-key.js';
import { readState, saveState, type StoredState } from './verification-state.sql.js';
import {
  alteredState,
  initialState,
  stateMessage,
  stateMessageOfRoundZero,
  type RecalledState,
  type VerificationState,
} from './verification-state.js';

export interface LastResult {
  hasFinding: boolean;
  /** Last time that a verification reached the end. */
  endedAt: string | null;
}

/** Stores signed verification progress in the database and logs when a finding appears or is cleared. */
@Injectable()
export class VerificationCheckpoint {
  readonly #logger = new Logger(VerificationCheckpoint.name);

  constructor(private readonly key: SealKey) {}

  /** The stored state. Without one, and if it was altered, verification begins with the first entry. */
  async recall(db: Kysely<unknown>, now: string): Promise<RecalledState> {
    return (await this.readTrusted(db, now)) ?? initialState(now);
  }

  /** The last result; undefined before the first one. An altered state counts as a finding. */
  async lastResult(db: Kysely<unknown>): Promise<LastResult | undefined> {
    const state = await this.readTrusted(db, await readClock(db, 0));
    return state && { hasFinding: state.finding !== null, endedAt: state.endedAt };
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

  private async readTrusted(db: Kysely<unknown>, now: string): Promise<RecalledState | undefined> {
    const stored = await readState(db);
    if (!stored || isNeverSigned(stored)) {
      return undefined;
    }
    const { signature: _, ...state } = stored;
    if (this.isSigned(stored)) {
      return state;
    }
    this.#logger.error({
      msg: 'the record of verification was altered: the ledger counts as broken until a requested verification ends intact',
      round: state.round,
    });
    return alteredState(state, now);
  }

  private isSigned(stored: StoredState): boolean {
    const isRoundZero = stored.round === 0 && this.key.isSignatureOf(stateMessageOfRoundZero(stored), stored.signature);
    return isRoundZero || this.key.isSignatureOf(stateMessage(stored), stored.signature);
  }
}

/** A row from before the migration that counts rounds. Nobody but the database's owner can write round 0 again. */
function isNeverSigned({ round, signature }: StoredState): boolean {
  return round === 0 && signature.length === 0;
}

function isSame(finding: NonNullable<VerificationState['finding']>, before: VerificationState['finding']): boolean {
  return before?.fault === finding.fault && before.batchNumber === finding.batchNumber;
}
