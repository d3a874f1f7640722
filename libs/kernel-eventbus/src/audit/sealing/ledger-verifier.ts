import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { ChainWalk } from './chain-walk.js';
import { countUnsealed } from './count-unsealed.sql.js';
import { findFirstEntry } from './find-entry.sql.js';
import { readHead } from './read-head.sql.js';
import { SealKey } from './seal-key.js';
import type { BrokenPlace, LedgerVerification, SealAnchor } from './verification.js';
import { BEGINNING, type VerifiedPlace } from './verified-place.js';

/** Verifies the ledger as a whole, from its first seal to its head. It only reads. */
@Injectable()
export class LedgerVerifier {
  constructor(
    private readonly em: EntityManager,
    private readonly key: SealKey,
  ) {}

  async verify(anchor?: SealAnchor): Promise<LedgerVerification> {
    return (await this.verifyTo(anchor ? [anchor] : [])).verification;
  }

  /** With the place up to which all was well. */
  async verifyTo(anchors: readonly SealAnchor[]): Promise<{ verification: LedgerVerification; place: VerifiedPlace }> {
    const db = this.em.fork().getKysely<unknown>();
    const { place, entries, ...walked } = await new ChainWalk(db, this.key).from(BEGINNING, { anchors });
    const broken = walked.broken ?? (await missingAnchor(db, place, anchors));
    const verification = {
      isIntact: !broken,
      firstBroken: broken ?? null,
      verifiedBatches: place.batchNumber,
      verifiedEntries: entries,
      // What is sealed behind a broken place is not verified, but sealed it is.
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
