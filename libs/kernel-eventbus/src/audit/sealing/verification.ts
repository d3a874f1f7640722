import type { EntryFault } from './compare-entries.js';
import type { UnsealedTail } from './count-unsealed.sql.js';

/**
 * Of entries: changed, gone, put in between, exchanged. Of seals: `seal-altered` is one that the key did not sign or that does
 * not follow the one before it, `seal-removed` one that is gone, `head-altered` a head that the key did not sign or that is gone.
 */
export type LedgerFault = EntryFault | 'seal-altered' | 'seal-removed' | 'head-altered';

export interface BrokenPlace {
  fault: LedgerFault;
  batchNumber: number;
  /** The first entry concerned; null where nothing is left that could be named. */
  entryId: string | null;
}

/** A seal that was seen before, e.g. in a log or an export: the chain still has to lead through it. */
export interface SealAnchor {
  batchNumber: number;
  /** Base64. */
  seal: string;
}

export interface LedgerVerification {
  isIntact: boolean;
  /** Everything before it is as it was sealed. */
  firstBroken: BrokenPlace | null;
  verifiedBatches: number;
  verifiedEntries: number;
  /** What came after the last seal: nobody vouches for it yet. */
  unsealed: UnsealedTail;
  /** The last seal that was verified; keep it elsewhere as the anchor of a later verification. */
  head: SealAnchor | null;
  /** Verifies an export. SPKI, base64. */
  publicKey: string;
}
