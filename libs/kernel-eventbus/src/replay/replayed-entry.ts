import { ledgerEntry, type LedgerEntry } from '@kernel/ledger';
import type { RequeuedDelivery } from '../deliveries/dead-letters.sql.js';

/** `operationId`: of the bulk operation that the replay is part of. */
export interface ReplayOrigin {
  actor: string;
  reason: string;
  operationId?: string;
}

/**
 * KER-6e: one entry per delivery. Its detail has one form for a single replay and one for an operation's; clients read
 * both.
 */
export function replayedEntry(
  { previousStatus, previousAttempts, ...subject }: RequeuedDelivery,
  { actor, reason, operationId }: ReplayOrigin,
): LedgerEntry {
  const detail = operationId
    ? { operationId, previousStatus, previousAttempts }
    : {
        before: { status: previousStatus, attempts: previousAttempts },
        after: { status: 'PENDING', attempts: 0 },
      };
  return ledgerEntry({ kind: 'replayed', actor, reason, ...subject, detail });
}
