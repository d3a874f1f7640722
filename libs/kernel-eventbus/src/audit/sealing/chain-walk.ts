import type { Kysely } from 'kysely';
import { compareEntries } from './compare-entries.js';
import { findFirstEntry, hasEntry } from './find-entry.sql.js';
import { hashEntries } from './hash-entries.sql.js';
import { headMessage, sealMessage, type LedgerSeal } from './ledger-seal.js';
import { readHead, type LastSeal } from './read-head.sql.js';
import { readNextSeal } from './read-next-seal.sql.js';
import type { SealKey } from './seal-key.js';
import type { BrokenPlace, SealAnchor } from './verification.js';
import type { VerifiedPlace } from './verified-place.js';

export interface Walked {
  place: VerifiedPlace;
  /** Entries that were verified on the way. */
  entries: number;
  broken: BrokenPlace | undefined;
  /** False when the walk was stopped before there was no more to verify. */
  isEnd: boolean;
}

export interface WalkOrder {
  /** Seals that the chain has to lead through. */
  anchors?: readonly SealAnchor[];
  /** Whether to go on after so many seals with so many entries. Default: always. */
  goesOn?: (seals: number, entries: number) => boolean;
}

interface ChainEnd {
  batchNumber: number;
  last: LastSeal | null;
  broken?: BrokenPlace;
}

/** Follows the chain of seals from a place on towards its head, and the entries with it. It only reads. */
export class ChainWalk {
  constructor(
    private readonly db: Kysely<unknown>,
    private readonly key: SealKey,
  ) {}

  async from(start: VerifiedPlace, { anchors = [], goesOn = () => true }: WalkOrder = {}): Promise<Walked> {
    let [place, seals, entries] = [start, 0, 0];
    let end = await this.findEnd();
    let broken = findSetBack(start, end);
    while (!broken && place.batchNumber < end.batchNumber && goesOn(seals, entries)) {
      const seal = await readNextSeal(this.db, place.batchNumber);
      broken = await this.checkSeal(seal, place, anchors);
      if (!broken) {
        place = { batchNumber: seal!.batchNumber, toTime: seal!.toTime, seal: seal!.seal };
        seals++;
        entries += seal!.entryCount;
      }
      // Sealing goes on meanwhile.
      end = place.batchNumber === end.batchNumber ? await this.findEnd() : end;
    }
    return { place, entries, broken: broken ?? end.broken, isEnd: !broken && place.batchNumber >= end.batchNumber };
  }

  /** Up to which seal there is something to verify, and what is wrong with how the chain ends. */
  private async findEnd(): Promise<ChainEnd> {
    const { head, last } = await readHead(this.db);
    if (!head && !last) {
      return { batchNumber: 0, last };
    }
    const batchNumber = Math.max(head?.batchNumber ?? 0, last?.batchNumber ?? 0);
    const isEnd = head && last && head.batchNumber === last.batchNumber && head.seal.equals(last.seal);
    return isEnd && this.key.isSignatureOf(headMessage(head), head.signature)
      ? { batchNumber, last }
      : { batchNumber, last, broken: { fault: 'head-altered', batchNumber, entryId: null } };
  }

  private async checkSeal(
    seal: LedgerSeal | undefined,
    before: VerifiedPlace,
    anchors: readonly SealAnchor[],
  ): Promise<BrokenPlace | undefined> {
    const { db } = this;
    const batchNumber = before.batchNumber + 1;
    if (seal?.batchNumber !== batchNumber) {
      return { fault: 'seal-removed', batchNumber, entryId: await findFirstEntry(db, before.toTime) };
    }
    const isNext = seal.fromTime === before.toTime && seal.previousSeal.equals(before.seal);
    const here = anchors.filter((anchor) => anchor.batchNumber === batchNumber);
    const isAnchored = here.every((anchor) => anchor.seal === seal.seal.toString('base64'));
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

/** A place that was verified before is a witness: a chain that ends before it, or with another seal there, was set back. */
function findSetBack({ batchNumber, seal }: VerifiedPlace, end: ChainEnd): BrokenPlace | undefined {
  if (batchNumber > end.batchNumber) {
    return { fault: 'seal-removed', batchNumber: end.batchNumber + 1, entryId: null };
  }
  const isOther = batchNumber > 0 && end.last?.batchNumber === batchNumber && !end.last.seal.equals(seal);
  return isOther ? { fault: 'seal-altered', batchNumber, entryId: null } : undefined;
}
