import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { ChainWalk } from './chain-walk.js';
import { countUnsealed, findFirstEntry } from '../sealing/entries.sql.js';
import { readHead } from '../sealing/seals.sql.js';
import { SealKey } from '../sealing/seal-key.js';
import type { BrokenPlace, LedgerVerification, SealAnchor } from './verification.js';
import { BEGINNING, type VerifiedPlace } from './verified-place.js';

/** Verifies the whole ledger from the first seal to the head. Read-only. */
@Injectable()
export class LedgerVerifier {
  constructor(
    private readonly em: EntityManager,
    private readonly key: SealKey,
  ) {}

  async verify(anchor?: SealAnchor): Promise<LedgerVerification> {
    return (await this.verifyTo(anchor ? [anchor] : [])).verification;
  }

  /** Also returns the last position that was verified without a fault. */
  async verifyTo(anchors: readonly SealAnchor[]): Promise<{ verification: LedgerVerification; place: VerifiedPlace }> {
    const db = this.em.fork().getKysely<unknown>();
    const { place, entries, ...walked } = await new ChainWalk(db, this.key).from(BEGINNING, { anchors });
    const broken = walked.broken ?? (await missingAnchor(db, place, anchors));
    const verification = {
      isIntact: !broken,
      firstBroken: broken ?? null,
      verifiedBatches: place.batchNumber,
      verifiedEntries: entries,
      // Entries after the broken position are unverified but sealed, so they do not count as unsealed.
      unsealed: await countUnsealed(db, broken ? await endOfSeals(db) : place.toTime),
      head: place === BEGINNING ? null : toAnchor(place),
      publicKey: this.key.publicKey,
    };
    return { verification, place };
  }
}

async function endOfSeals(db: Kysely<unknown>): Promise<string> {
  const { last } = await readHead(db);
  return last?.toTime ?? BEGINNING.toTime;
}

async function missingAnchor(
  db: Kysely<unknown>,
  { batchNumber, toTime }: VerifiedPlace,
  anchors: readonly SealAnchor[],
): Promise<BrokenPlace | undefined> {
  return anchors.some((anchor) => anchor.batchNumber > batchNumber)
    ? { fault: 'seal-removed', batchNumber: batchNumber + 1, entryId: await findFirstEntry(db, toTime) }
    : undefined;
}

export function toAnchor({ batchNumber, seal }: VerifiedPlace): SealAnchor {
  return { batchNumber, seal: seal.toString('base64') };
}
