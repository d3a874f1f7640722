import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { LedgerVerifier, toAnchor } from './ledger-verifier.js';
import { readClock } from '../sealing/entries.sql.js';
import type { BrokenPlace, LedgerVerification, SealAnchor } from './verification.js';
import type { VerifiedPlace } from './verified-place.js';
import { awaitVerificationTurn } from './verification-state.sql.js';
import { VerificationCheckpoint } from './verification-checkpoint.js';
import type { VerificationState } from './verification-state.js';

/**
 * A verification on request. The chain must contain the stored position. The result is stored like that of a background
 * round and counts as a full pass.
 */
@Injectable()
export class RequestedVerifier {
  constructor(
    private readonly em: EntityManager,
    private readonly verifier: LedgerVerifier,
    private readonly checkpoint: VerificationCheckpoint,
  ) {}

  async verify(anchor?: SealAnchor): Promise<LedgerVerification> {
    const db = this.em.fork().getKysely<unknown>();
    const { place: known } = await this.begin(db);
    const beganAt = await readClock(db, 0);
    const anchors = [anchor, known.batchNumber > 0 && toAnchor(known)].filter((one) => typeof one === 'object');
    const { verification, place } = await this.verifier.verifyTo(anchors);
    await db
      .transaction()
      .setIsolationLevel('read committed')
      .execute((trx) => this.remember(trx, { beganAt, place, broken: verification.firstBroken }));
    return verification;
  }

  /** Signs a record that was altered, so that an alteration during this verification is not cleared by it. */
  private async begin(db: Kysely<unknown>): Promise<VerificationState> {
    const known = await this.checkpoint.recall(db, await readClock(db, 0));
    if (known.finding?.fault !== 'verification-altered') {
      return known;
    }
    return db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (trx) => {
        await awaitVerificationTurn(trx);
        const before = await this.checkpoint.recall(trx, await readClock(trx, 0));
        await this.checkpoint.keep(trx, before, before);
        return before;
      });
  }

  private async remember(
    trx: Kysely<unknown>,
    { beganAt, place, broken }: { beganAt: string; place: VerifiedPlace; broken: BrokenPlace | null },
  ): Promise<void> {
    await awaitVerificationTurn(trx);
    const now = await readClock(trx, 0);
    const before = await this.checkpoint.recall(trx, now);
    // A finding from a concurrent verification may be at a position that this one had already passed.
    if (!broken && before.finding && before.finding.seenAt >= beganAt) {
      return;
    }
    // If the chain no longer reaches the position verified before, the stored one is the only evidence.
    const furthest = before.place.batchNumber > place.batchNumber ? before.place : place;
    const finding = broken && { ...broken, seenAt: now, isOrdered: true };
    await this.checkpoint.keep(trx, { place: furthest, beganAt, endedAt: now, finding }, before);
  }
}
