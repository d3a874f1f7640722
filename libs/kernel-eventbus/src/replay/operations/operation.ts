import { z } from 'zod';

/**
 * `replay`: finished deliveries by filter. `recover`: an endpoint's dead letters. `replay-missing`: events that an
 * endpoint never received.
 */
export const OperationKind = z.enum(['replay', 'recover', 'replay-missing']);
export type OperationKind = z.infer<typeof OperationKind>;

export const OperationState = z.enum(['pending', 'running', 'completed', 'cancelled', 'failed']);
export type OperationState = z.infer<typeof OperationState>;

/** Filter of an operation, in addition to tenant and endpoint. */
export interface ReplayFilter {
  status?: 'DELIVERED' | 'DLQ';
  type?: string;
  /** Error class of the last failure; the dead letter's reason if nothing was ever sent. */
  errorClass?: string;
  /**
   * Creation of the delivery; for `recover` the time of dead-lettering, for `replay-missing` the creation of the event.
   * Inclusive.
   */
  since?: string;
  /** Exclusive. */
  until?: string;
}

/** The deliveries of an operation, as of the time of the request. */
export interface OperationScope {
  kind: OperationKind;
  /** Undefined for all tenants. */
  tenantId?: string;
  endpointId?: string;
  filter: ReplayFilter;
  /** Database time with microseconds; deliveries finished and events published later are excluded. */
  orderedAt: string;
}

export interface OperationRequest extends Omit<OperationScope, 'orderedAt'> {
  actor: string;
  reason: string;
  traceId: string;
}

/** Position in the walk over deliveries or events. */
export interface Cursor {
  /** Null if the order is by id alone. */
  at: string | null;
  id: string;
}

/** An operation that this transaction has claimed. */
export interface ClaimedOperation extends OperationRequest, OperationScope {
  operationId: string;
  cursor: Cursor | null;
}

export interface Batch {
  done: number;
  /** Null if nothing is left. */
  next: Cursor | null;
  /** Reason to fail the operation. */
  stop?: string;
}
