/** The append-only ledger: entries, seals over them, and their verification. */
export { LedgerModule, type LedgerModuleAsyncOptions, type LedgerModuleOptions } from './ledger.module.js';

// Entries
export { AttemptConclusion, KERNEL_ACTOR, type LedgerEntry, LedgerKind, ledgerEntry } from './entries/ledger-entry.js';
export { LedgerEntryEntity, type LedgerRow } from './entries/ledger-entry.entity.js';
export {
  LEDGER_COLUMNS,
  appendEntries,
  appendEntriesStatement,
  appendMissingEntries,
  eventsOfTrace,
  isOfTrace,
  ledgerRows,
} from './entries/ledger-entries.sql.js';

// Seals
export { LedgerSealer } from './sealing/ledger-sealer.js';
export { LedgerExporter } from './sealing/ledger-exporter.js';
export { LedgerHeadEntity, LedgerSealEntity } from './sealing/ledger-seal.entity.js';
export { SealKey } from './sealing/seal-key.js';
export { type SealingOptions, SealingOptionsSchema } from './sealing/sealing.options.js';

// Verification
export { LedgerVerifier } from './verification/ledger-verifier.js';
export { BackgroundVerifier } from './verification/background-verifier.js';
export { RequestedVerifier } from './verification/requested-verifier.js';
export { LedgerChainStatus } from './verification/ledger-chain-status.js';
export { LedgerVerificationEntity } from './verification/ledger-verification.entity.js';
export { type VerificationOptions, VerificationOptionsSchema } from './verification/verification.options.js';
export type { LedgerVerification, SealAnchor } from './verification/verification.js';
