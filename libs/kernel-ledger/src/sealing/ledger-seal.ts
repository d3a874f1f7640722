import { hash } from 'node:crypto';

export const ID_BYTES = 16;
export const HASH_BYTES = 32;

/** Entries of a time range in order: concatenated ids and concatenated hashes. */
export interface SealedEntries {
  entryCount: number;
  entryIds: Buffer;
  entryHashes: Buffer;
}

export interface LedgerSeal extends SealedEntries {
  batchNumber: number;
  /** Times are text with microseconds, as read from the database. */
  fromTime: string;
  toTime: string;
  /** Empty for the first seal. */
  previousSeal: Buffer;
  /** The signature; the next seal contains it as `previousSeal`. */
  seal: Buffer;
}

export interface LedgerHead {
  batchNumber: number;
  seal: Buffer;
  signature: Buffer;
}

/** The signed text. `tools/audit/verify-export.mjs` builds the same one; its first element is the version. */
export function sealMessage(seal: Omit<LedgerSeal, 'seal'>): string {
  return JSON.stringify([
    'kernel-ledger-seal/1',
    seal.batchNumber,
    seal.fromTime,
    seal.toTime,
    seal.entryCount,
    hash('sha256', seal.entryIds, 'hex'),
    hash('sha256', seal.entryHashes, 'hex'),
    seal.previousSeal.toString('hex'),
  ]);
}

export function headMessage({ batchNumber, seal }: Pick<LedgerHead, 'batchNumber' | 'seal'>): string {
  return JSON.stringify(['kernel-ledger-head/1', batchNumber, seal.toString('hex')]);
}

export function entryIdAt(entryIds: Buffer, place: number): string {
  const hex = entryIds.toString('hex', place * ID_BYTES, (place + 1) * ID_BYTES);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
