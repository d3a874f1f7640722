/** Version of events that set none. */
export const DEFAULT_EVENT_VERSION = '1.0.0';

/**
 * AC5: something that happened to an aggregate, in the domain's terms. Independent of the outbox and of delivery;
 * published through `EventPublisher`.
 */
export interface DomainEvent {
  /** A UUID, version 7 preferably: `newEventId()`. */
  readonly eventId: string;
  readonly tenantId: string;
  readonly aggregateId: string;
  /** E.g. `SignatureRequest`. */
  readonly aggregateType: string;
  /** E.g. `signature.completed.v1`. */
  readonly eventType: string;
  readonly occurredAt: Date;
  /** Trace id, shared with the request that caused the event. Default: that of `CorrelationIdProvider`. */
  readonly correlationId?: string;
  /** Default: 1.0.0. */
  readonly version?: string;
  /** Data sent to receivers. Default: none. */
  readonly payload?: Record<string, unknown>;
  /** User or system that caused the event. */
  readonly actorId?: string;
  /** Facts for operators and the ledger, never sent to receivers. */
  readonly attributes?: Record<string, unknown>;
  /** A second event under the same key is not published. */
  readonly idempotencyKey?: string;
}
