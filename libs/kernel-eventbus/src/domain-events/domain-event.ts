/** The version of events that name none. */
export const DEFAULT_EVENT_VERSION = '1.0.0';

/**
 * AC5: something that happened to an aggregate, as the domain says it. It knows neither the outbox nor how it travels;
 * `EventPublisher` takes it.
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
  /** One id from the request that caused it on: the trace id. Default: that of `CorrelationIdProvider`. */
  readonly correlationId?: string;
  /** Default: 1.0.0. */
  readonly version?: string;
  /** What is told to others. Default: nothing. */
  readonly payload?: Record<string, unknown>;
  /** Who caused it. */
  readonly actorId?: string;
  /** Facts for operators and the ledger, never told to others. */
  readonly attributes?: Record<string, unknown>;
  /** Publishing again under the same key publishes nothing. */
  readonly idempotencyKey?: string;
}
