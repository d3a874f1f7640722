import type { EntryFault } from './compare-entries.js';
import type { UnsealedTail } from '../sealing/entries.sql.js';

/**
 * Faults of entries: changed, removed, inserted, reordered. `seal-altered`: the seal has no valid signature or does not
 * follow the one before. `seal-removed`: the seal is missing. `head-altered`: the head is missing or has no valid
 * signature.
 */
export type LedgerFault = EntryFault | 'seal-altered' | 'seal-removed' | 'head-altered';

export interface BrokenPlace {
  fault: LedgerFault;
  batchNumber: number;
  /** The first affected entry; null if none can be named. */
  entryId: string | null;
}

/** A known seal, e.g. from a log or an export, that must still be part of the chain. */
export interface SealAnchor {
  batchNumber: number;
  /** Base64. */
  seal: string;
}

export interface LedgerVerification {
  isIntact: boolean;
  /** Everything before this position is intact. */
  firstBroken: BrokenPlace | null;
  verifiedBatches: number;
  verifiedEntries: number;
  /** Entries after the last seal, which no signature covers yet. */
  unsealed: UnsealedTail;
  /** The last verified seal; store it elsewhere as the anchor of a later verification. */
  head: SealAnchor | null;
  /** Key that verifies an export. SPKI, base64. */
  publicKey: string;
}
