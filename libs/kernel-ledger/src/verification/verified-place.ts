import type { LedgerSeal } from '../sealing/ledger-seal.js';

/** The last verified seal; everything before it is verified too. */
export type VerifiedPlace = Pick<LedgerSeal, 'batchNumber' | 'toTime' | 'seal'>;

export const BEGINNING: VerifiedPlace = { batchNumber: 0, toTime: '-infinity', seal: Buffer.alloc(0) };
