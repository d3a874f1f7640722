import { z } from 'zod';

/** `replay`: settled deliveries by filter. `recover`: an endpoint's dead letters. `replay-missing`: what it never got. */
export const OperationKind = z.enum(['replay', 'recover', 'replay-missing']);
export type OperationKind = z.infer<typeof OperationKind>;

export const OperationState = z.enum(['pending', 'running', 'completed', 'cancelled', 'failed']);
export type OperationState = z.infer<typeof OperationState>;

/** What an operation is about, besides its tenant and its endpoint. */
export interface ReplayFilter {
  status?: 'DELIVERED' | 'DLQ';
  type?: string;
  /** Of the last failure; the reason of the dead letter where nothing was ever sent. */
  errorClass?: string;
  /** Of the delivery's creation; of the dead-lettering for `recover`, of the event's creation for `replay-missing`. Inclusive. */
  since?: string;
  /** Exclusive. */
  until?: string;
}

/** Whose deliveries, and which: as it was ordered, and as it was at that time. */
export interface OperationScope {
  kind: OperationKind;
  /** Undefined: those of all tenants. */
  tenantId?: string;
  endpointId?: string;
  filter: ReplayFilter;
  /** By the database's clock, to the microsecond: what is settled or published later is none of its business. */
  orderedAt: string;
}

export interface OperationOrder extends Omit<OperationScope, 'orderedAt'> {
  actor: string;
  reason: string;
  traceId: string;
}

/** Where the walk over deliveries, or over events, goes on. */
export interface Cursor {
  /** Null where ids alone give the order. */
  at: string | null;
  id: string;
}

/** An operation whose row this transaction holds. */
export interface ClaimedOperation extends OperationOrder, OperationScope {
  operationId: string;
  cursor: Cursor | null;
}

export interface Batch {
  done: number;
  /** Null: nothing is left. */
  next: Cursor | null;
  /** Why it cannot go on at all. */
  stop?: string;
}
