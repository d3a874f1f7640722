import type { LedgerSeal } from './ledger-seal.js';

/** The last seal that was verified, and with it everything before. */
export type VerifiedPlace = Pick<LedgerSeal, 'batchNumber' | 'toTime' | 'seal'>;

export const BEGINNING: VerifiedPlace = { batchNumber: 0, toTime: '-infinity', seal: Buffer.alloc(0) };
