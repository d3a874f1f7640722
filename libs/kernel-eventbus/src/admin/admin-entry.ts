import { ledgerEntry, type LedgerEntry } from '../audit/ledger-entry.js';
import { currentTraceId, newTraceId } from '../runtime/trace-context.js';
import type { AdminPrincipal } from './access/admin-principal.js';

/** Ledger entry for an action through the admin API, with the trace id of the request. */
export function adminEntry(
  principal: AdminPrincipal,
  facts: Omit<LedgerEntry, 'entryId' | 'actor' | 'traceId'>,
): LedgerEntry {
  return ledgerEntry({ ...facts, actor: principal.actor, traceId: currentTraceId() ?? newTraceId() });
}
