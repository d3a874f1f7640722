import { ledgerEntry, type LedgerEntry, type LedgerKind } from '@kernel/ledger';
import type { OperationRequest } from './operation.js';

/** Ledger entry of an operation, visible to its tenant if it has one. */
export function operationEntry(
  kind: Extract<LedgerKind, `operation-${string}`>,
  { tenantId, endpointId, actor, reason, traceId, ...order }: OperationRequest & { operationId: string },
  outcome: Record<string, unknown>,
): LedgerEntry {
  const detail = { operationId: order.operationId, operation: order.kind, ...outcome };
  return ledgerEntry({ kind, tenantId, endpointId, actor, reason, traceId, detail });
}
