import { newId } from '@kernel/runtime';
import { z } from 'zod';

/** All kinds of ledger entries. */
export const LedgerKind = z.enum([
  'published',
  'duplicate-detected',
  'short-circuited',
  'attempt',
  'deferred',
  'delivered',
  'dead-lettered',
  'replayed',
  'routed-late',
  'lane-skipped',
  'endpoint-created',
  'endpoint-updated',
  'endpoint-deleted',
  'endpoint-disabled',
  'endpoint-tested',
  'policy-put',
  'secret-put',
  'secret-rotated',
  'secret-revoked',
  'master-key-rotated',
  'token-created',
  'token-revoked',
  'partition-dropped',
  'deliveries-pruned',
  'events-pruned',
  'lanes-pruned',
  'idempotency-keys-pruned',
  'processed-events-pruned',
  'operation-started',
  'operation-cancelled',
  'operation-ended',
]);
export type LedgerKind = z.infer<typeof LedgerKind>;

/** How a recorded attempt ended. Null for an attempt that was aborted, or recorded after its lease was lost. */
export const AttemptConclusion = z.enum(['delivered', 'retry', 'dead-lettered']);
export type AttemptConclusion = z.infer<typeof AttemptConclusion>;

/** Actor of entries that the kernel records without a caller. */
export const KERNEL_ACTOR = 'kernel';

export interface LedgerEntry {
  entryId: string;
  kind: LedgerKind;
  traceId: string;
  actor: string;
  tenantId?: string | null;
  eventId?: string | null;
  eventType?: string | null;
  deliveryId?: string | null;
  endpointId?: string | null;
  attempt?: number | null;
  statusCode?: number | null;
  latencyMs?: number | null;
  errorClass?: string | null;
  error?: string | null;
  responseExcerpt?: string | null;
  policyId?: string | null;
  policyVersion?: number | null;
  removedPaths?: number | null;
  bodySha256?: string | null;
  reason?: string | null;
  detail?: Record<string, unknown> | null;
  aggregateType?: string | null;
  aggregateId?: string | null;
  /** JSON text as stored in the outbox. */
  attributesJson?: string | null;
}

export function ledgerEntry(facts: Omit<LedgerEntry, 'entryId'>): LedgerEntry {
  return { entryId: newId(), ...facts };
}
