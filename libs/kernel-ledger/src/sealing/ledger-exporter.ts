import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { LoopTurns } from '@kernel/runtime';
import { findBatchEnd } from './batch-end.js';
import type { LedgerHead, LedgerSeal } from './ledger-seal.js';
import { readClock, readEntryTexts } from './entries.sql.js';
import { readHead, readNextSeal } from './seals.sql.js';
import { SealKey } from './seal-key.js';

/** Entries per read: most have one kilobyte, a policy's may have half a megabyte. */
const CHUNK = 1_000;
const PIECE_CHARACTERS = 65_536;

/**
 * The ledger as JSON lines: a header, each seal followed by its entries, the unsealed entries, and the head. An entry's
 * line is the exact text whose hash is sealed. An export without the head line is incomplete.
 */
@Injectable()
export class LedgerExporter {
  constructor(
    private readonly em: EntityManager,
    private readonly key: SealKey,
  ) {}

  async *lines(): AsyncGenerator<string> {
    const db = this.em.fork().getKysely<unknown>();
    const { head } = await readHead(db);
    const exportedAt = await readClock(db, 0);
    yield line({ line: 'ledger', version: 1, exportedAt, publicKey: this.key.publicKey });
    let sealedUntil = '-infinity';
    let number = 0;
    while (number < (head?.batchNumber ?? 0)) {
      const seal = await readNextSeal(db, number);
      if (!seal) {
        break;
      }
      yield line(toSealLine(seal));
      yield* this.entries(db, seal.fromTime, seal.toTime);
      ({ batchNumber: number, toTime: sealedUntil } = seal);
    }
    yield line({ line: 'unsealed', fromTime: sealedUntil });
    yield* this.entries(db, sealedUntil, exportedAt);
    yield line({ line: 'head', ...(head && toHeadLine(head)) });
  }

  private async *entries(db: Kysely<unknown>, fromTime: string, toTime: string): AsyncGenerator<string> {
    const turns = new LoopTurns();
    for (let from = fromTime; from !== toTime;) {
      const end = await findBatchEnd(db, from, toTime, CHUNK);
      const texts = await readEntryTexts(db, from, end);
      let piece = '';
      for (const text of texts) {
        piece += `${text}\n`;
        if (piece.length >= PIECE_CHARACTERS) {
          yield piece;
          piece = '';
        }
        if (turns.isDue) {
          await turns.next();
        }
      }
      if (piece) {
        yield piece;
      }
      from = end;
    }
  }
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

function toSealLine({ entryIds, entryHashes, previousSeal, seal, ...rest }: LedgerSeal): object {
  return {
    line: 'seal',
    ...rest,
    entryIds: entryIds.toString('base64'),
    entryHashes: entryHashes.toString('base64'),
    previousSeal: previousSeal.toString('base64'),
    seal: seal.toString('base64'),
  };
}

function toHeadLine({ batchNumber, seal, signature }: LedgerHead): object {
  return { batchNumber, seal: seal.toString('base64'), signature: signature.toString('base64') };
}
