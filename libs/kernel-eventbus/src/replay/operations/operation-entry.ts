import { ledgerEntry, type LedgerEntry, type LedgerKind } from '@kernel/ledger';
import type { OperationRequest } from './operation.js';

/** Ledger entry of an operation, visible to its tenant if it has one. */
export function operationEntry(
  kind: Extract<LedgerKind, `operation-${string}`>,
  { tenantId, endpointId, actor, reason, traceId, ...request }: OperationRequest & { operationId: string },
  outcome: Record<string, unknown>,
): LedgerEntry {
  const detail = { operationId: request.operationId, operation: request.kind, ...outcome };
  return ledgerEntry({ kind, tenantId, endpointId, actor, reason, traceId, detail });
}
