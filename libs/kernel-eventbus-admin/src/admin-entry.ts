import { ledgerEntry, type LedgerEntry } from '@kernel/ledger';
import { currentTraceId, newTraceId } from '@kernel/eventbus';
import type { AdminPrincipal } from './access/admin-principal.js';

/** Ledger entry for an action through the admin API, with the trace id of the request. */
export function adminEntry(
  principal: AdminPrincipal,
  facts: Omit<LedgerEntry, 'entryId' | 'actor' | 'traceId'>,
): LedgerEntry {
  return ledgerEntry({ ...facts, actor: principal.actor, traceId: currentTraceId() ?? newTraceId() });
}
