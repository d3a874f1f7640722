import { ledgerEntry, type LedgerEntry } from '@kernel/ledger';
import { currentTraceId, newTraceId } from '../trace/trace-context.js';
import type { Caller } from '../access/caller.js';

/** Ledger entry for an action of a caller, with the trace id of the running request. */
export function callerEntry(caller: Caller, facts: Omit<LedgerEntry, 'entryId' | 'actor' | 'traceId'>): LedgerEntry {
  return ledgerEntry({ ...facts, actor: caller.actor, traceId: currentTraceId() ?? newTraceId() });
}
