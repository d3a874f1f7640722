import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { compareEntries } from './compare-entries.js';
import { countUnsealed } from './count-unsealed.sql.js';
import { findFirstEntry, hasEntry } from './find-entry.sql.js';
import { hashEntries } from './hash-entries.sql.js';
import { headMessage, sealMessage, type LedgerHead, type LedgerSeal } from './ledger-seal.js';
import { readHead } from './read-head.sql.js';
import { readNextSeal } from './read-next-seal.sql.js';
import { SealKey } from './seal-key.js';
import type { BrokenPlace, LedgerVerification, SealAnchor } from './verification.js';

type Verified = Pick<LedgerSeal, 'batchNumber' | 'toTime' | 'seal'> & { entries: number };

const BEGINNING: Verified = { batchNumber: 0, toTime: '-infinity', seal: Buffer.alloc(0), entries: 0 };

/** Follows the chain of seals from its beginning to its head, and the entries with it. It only reads. */
@Injectable()
export class LedgerVerifier {
  constructor(
    private readonly em: EntityManager,
    private readonly key: SealKey,
  ) {}

  async verify(anchor?: SealAnchor): Promise<LedgerVerification> {
    const db = this.em.fork().getKysely<unknown>();
    let verified = BEGINNING;
    let broken: BrokenPlace | undefined;
    let end = await this.findEnd(db);
    while (!broken && verified.batchNumber < end.batchNumber) {
      const seal = await readNextSeal(db, verified.batchNumber);
      broken = await this.checkSeal(db, seal, verified, anchor);
      verified = broken ? verified : follow(verified, seal!);
      // Sealing goes on meanwhile.
      end = verified.batchNumber === end.batchNumber ? await this.findEnd(db) : end;
    }
    broken ??= end.broken ?? (await missingAnchor(db, verified, anchor));
    return {
      isIntact: !broken,
      firstBroken: broken ?? null,
      verifiedBatches: verified.batchNumber,
      verifiedEntries: verified.entries,
      unsealed: await countUnsealed(db, verified.toTime),
      head: verified === BEGINNING ? null : toAnchor(verified),
      publicKey: this.key.publicKey,
    };
  }

  /** Up to which seal there is something to verify, and what is wrong with how the chain ends. */
  private async findEnd(db: Kysely<unknown>): Promise<{ batchNumber: number; broken?: BrokenPlace }> {
    const { head, last } = await readHead(db);
    if (!head && !last) {
      return { batchNumber: 0 };
    }
    const batchNumber = Math.max(head?.batchNumber ?? 0, last?.batchNumber ?? 0);
    const isEnd = head && last && head.batchNumber === last.batchNumber && head.seal.equals(last.seal);
    return isEnd && this.isSigned(head)
      ? { batchNumber }
      : { batchNumber, broken: { fault: 'head-altered', batchNumber, entryId: null } };
  }

  private isSigned(head: LedgerHead): boolean {
    return this.key.isSignatureOf(headMessage(head), head.signature);
  }

  private async checkSeal(
    db: Kysely<unknown>,
    seal: LedgerSeal | undefined,
    before: Verified,
    anchor: SealAnchor | undefined,
  ): Promise<BrokenPlace | undefined> {
    const batchNumber = before.batchNumber + 1;
    if (seal?.batchNumber !== batchNumber) {
      return { fault: 'seal-removed', batchNumber, entryId: await findFirstEntry(db, before.toTime) };
    }
    const isNext = seal.fromTime === before.toTime && seal.previousSeal.equals(before.seal);
    const isAnchored = anchor?.batchNumber !== batchNumber || anchor.seal === seal.seal.toString('base64');
    if (!isNext || !isAnchored || !this.key.isSignatureOf(sealMessage(seal), seal.seal)) {
      return { fault: 'seal-altered', batchNumber, entryId: await findFirstEntry(db, before.toTime) };
    }
    const difference = compareEntries(seal, await hashEntries(db, seal.fromTime, seal.toTime));
    if (!difference) {
      return undefined;
    }
    // One that was moved out of its time is still there.
    const isMoved = difference.fault === 'removed' && (await hasEntry(db, difference.entryId));
    return { batchNumber, ...difference, ...(isMoved && { fault: 'altered' as const }) };
  }
}

function follow(before: Verified, { batchNumber, toTime, seal, entryCount }: LedgerSeal): Verified {
  return { batchNumber, toTime, seal, entries: before.entries + entryCount };
}

async function missingAnchor(
  db: Kysely<unknown>,
  verified: Verified,
  anchor: SealAnchor | undefined,
): Promise<BrokenPlace | undefined> {
  return anchor && anchor.batchNumber > verified.batchNumber
    ? {
        fault: 'seal-removed',
        batchNumber: verified.batchNumber + 1,
        entryId: await findFirstEntry(db, verified.toTime),
      }
    : undefined;
}

function toAnchor({ batchNumber, seal }: Verified): SealAnchor {
  return { batchNumber, seal: seal.toString('base64') };
}
