import { newEventId, type DomainEvent } from '@kernel/eventbus';
import type { Occasion } from '../signing/occasion.js';
import { definitions } from '../signing/signature.events.js';

/** The breaker guards the provider for all tenants, so its events belong to the operator. */
export const OPERATOR_TENANT_ID = '00000000-0000-4000-8000-000000000514';

export class CircuitBreakerOpened implements DomainEvent {
  readonly eventId = newEventId();
  readonly tenantId = OPERATOR_TENANT_ID;
  readonly aggregateType = 'CircuitBreaker';
  readonly eventType = definitions.circuitBreakerOpened.type;
  readonly aggregateId: string;
  readonly occurredAt: Date;
  readonly correlationId: string;
  readonly payload: Record<string, unknown>;

  constructor(facts: { provider: string; failures: number; openMs: number }, { at, correlationId }: Occasion) {
    this.aggregateId = facts.provider;
    this.occurredAt = at;
    this.correlationId = correlationId;
    this.payload = { ...facts };
  }
}
