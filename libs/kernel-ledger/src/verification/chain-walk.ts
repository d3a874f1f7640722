import type { Kysely } from 'kysely';
import { compareEntries } from './compare-entries.js';
import { findFirstEntry, hasEntry, hashEntries } from '../sealing/entries.sql.js';
import { headMessage, sealMessage, type LedgerSeal } from '../sealing/ledger-seal.js';
import { readHead, readNextSeals, type LastSeal } from '../sealing/seals.sql.js';
import type { SealKey } from '../sealing/seal-key.js';
import type { BrokenPlace, SealAnchor } from './verification.js';
import type { VerifiedPlace } from './verified-place.js';

export interface Walked {
  place: VerifiedPlace;
  /** Number of verified entries. */
  entries: number;
  broken: BrokenPlace | undefined;
  /** True if the walk reached the end of the chain, false if a limit or shutdown stopped it. */
  isEnd: boolean;
}

export interface WalkRequest {
  /** Seals that must be part of the chain. */
  anchors?: readonly SealAnchor[];
  /** Limits after which the walk stops. Default: no limit. */
  maxSeals?: number;
  maxEntries?: number;
  isStopping?: () => boolean;
}

/** Seals read in one query: a quiet ledger has many seals with few entries each. */
const GROUP = { maxSeals: 200, maxEntries: 10_000 };

interface ChainEnd {
  batchNumber: number;
  last: LastSeal | null;
  broken?: BrokenPlace;
}

/** Verifies the chain of seals and their entries from a position towards the head. Read-only. */
export class ChainWalk {
  constructor(
    private readonly db: Kysely<unknown>,
    private readonly key: SealKey,
  ) {}

  async from(start: VerifiedPlace, request: WalkRequest = {}): Promise<Walked> {
    const { anchors = [], maxSeals = Infinity, maxEntries = Infinity, isStopping = () => false } = request;
    let [place, seals, entries] = [start, 0, 0];
    let end = await this.findEnd();
    let broken = findSetBack(start, end);
    while (!broken && place.batchNumber < end.batchNumber && !isStopping()) {
      const left = { maxSeals: maxSeals - seals, maxEntries: maxEntries - entries };
      if (left.maxSeals <= 0 || left.maxEntries <= 0) {
        break;
      }
      const group = await this.checkGroup(place, anchors, left);
      ({ place, broken } = group);
      seals += group.seals;
      entries += group.entries;
      // Sealing continues during the walk.
      end = place.batchNumber === end.batchNumber ? await this.findEnd() : end;
    }
    return { place, entries, broken: broken ?? end.broken, isEnd: !broken && place.batchNumber >= end.batchNumber };
  }

  /** Verifies the next seals: compares their entries all at once, then seal by seal if there is a difference. */
  private async checkGroup(start: VerifiedPlace, anchors: readonly SealAnchor[], left: typeof GROUP): Promise<Group> {
    const seals = await readNextSeals(this.db, start.batchNumber, {
      maxSeals: Math.min(left.maxSeals, GROUP.maxSeals),
      maxEntries: Math.min(left.maxEntries, GROUP.maxEntries),
    });
    const isLinked = seals.every((seal, n) => !this.findLinkFault(seal, n > 0 ? seals[n - 1]! : start, anchors));
    if (seals.length > 1 && isLinked && (await this.haveTheirEntries(seals))) {
      return { place: toPlace(seals.at(-1)!), seals: seals.length, entries: countEntries(seals), broken: undefined };
    }
    return this.checkOneByOne(seals, start, anchors);
  }

  private async checkOneByOne(
    seals: readonly LedgerSeal[],
    start: VerifiedPlace,
    anchors: readonly SealAnchor[],
  ): Promise<Group> {
    let place = start;
    const passed: LedgerSeal[] = [];
    for (const seal of seals) {
      const broken = await this.checkSeal(seal, place, anchors);
      if (broken) {
        return { place, seals: passed.length, entries: countEntries(passed), broken };
      }
      passed.push(seal);
      place = toPlace(seal);
    }
    const broken = seals.length > 0 ? undefined : await this.checkSeal(undefined, start, anchors);
    return { place, seals: passed.length, entries: countEntries(passed), broken };
  }

  private async haveTheirEntries(seals: readonly LedgerSeal[]): Promise<boolean> {
    const present = await hashEntries(this.db, seals[0]!.fromTime, seals.at(-1)!.toTime);
    return (
      present.entryIds.equals(Buffer.concat(seals.map(({ entryIds }) => entryIds))) &&
      present.entryHashes.equals(Buffer.concat(seals.map(({ entryHashes }) => entryHashes)))
    );
  }

  /** The last batch number to verify, and the fault if head and last seal do not match. */
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
    const fault = this.findLinkFault(seal, before, anchors);
    if (fault) {
      return { fault, batchNumber, entryId: await findFirstEntry(db, before.toTime) };
    }
    const difference = compareEntries(seal!, await hashEntries(db, seal!.fromTime, seal!.toTime));
    if (!difference) {
      return undefined;
    }
    // An entry whose time was changed still exists.
    const isMoved = difference.fault === 'removed' && (await hasEntry(db, difference.entryId));
    return { batchNumber, ...difference, ...(isMoved && { fault: 'altered' as const }) };
  }

  /** The fault if `seal` is not the next one in the chain. */
  private findLinkFault(
    seal: LedgerSeal | undefined,
    before: VerifiedPlace,
    anchors: readonly SealAnchor[],
  ): 'seal-removed' | 'seal-altered' | undefined {
    const batchNumber = before.batchNumber + 1;
    if (seal?.batchNumber !== batchNumber) {
      return 'seal-removed';
    }
    const isNext = seal.fromTime === before.toTime && seal.previousSeal.equals(before.seal);
    const here = anchors.filter((anchor) => anchor.batchNumber === batchNumber);
    const isAnchored = here.every((anchor) => anchor.seal === seal.seal.toString('base64'));
    return isNext && isAnchored && this.key.isSignatureOf(sealMessage(seal), seal.seal) ? undefined : 'seal-altered';
  }
}

interface Group extends Pick<Walked, 'place' | 'entries' | 'broken'> {
  seals: number;
}

function toPlace({ batchNumber, toTime, seal }: LedgerSeal): VerifiedPlace {
  return { batchNumber, toTime, seal };
}

function countEntries(seals: readonly LedgerSeal[]): number {
  return seals.reduce((sum, { entryCount }) => sum + entryCount, 0);
}

/** Detects a chain that was truncated or replaced before a position that was verified earlier. */
function findSetBack({ batchNumber, seal }: VerifiedPlace, end: ChainEnd): BrokenPlace | undefined {
  if (batchNumber > end.batchNumber) {
    return { fault: 'seal-removed', batchNumber: end.batchNumber + 1, entryId: null };
  }
  const isOther = batchNumber > 0 && end.last?.batchNumber === batchNumber && !end.last.seal.equals(seal);
  return isOther ? { fault: 'seal-altered', batchNumber, entryId: null } : undefined;
}
